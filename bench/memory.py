#!/usr/bin/env python3
"""The recorder's peak resident memory while cargo compiles a workspace of ten crates.

Ten crates without dependencies from outside, each some hundred lines of generic code,
compiled by ten rustc processes. The recorder's VmHWM is read from /proc until it ends."""
import os
import subprocess
import time

from common import WICK, folder, need

FUNCTION = """
pub mod part{n} {{
    use std::collections::{{BTreeMap, HashMap}};
    #[derive(Debug, Clone, PartialEq, PartialOrd, Default)]
    pub struct Row{n} {{ pub name: String, pub values: Vec<f64>, pub map: BTreeMap<String, u32> }}
    pub fn build{n}(count: usize) -> Vec<Row{n}> {{
        (0..count).map(|i| Row{n} {{
            name: format!("row {{}} of {{}}", i, {n}),
            values: (0..i % 17).map(|v| v as f64 * 0.5).collect(),
            map: (0..i % 5).map(|k| (k.to_string(), k as u32)).collect(),
        }}).collect()
    }}
    pub fn group{n}(rows: &[Row{n}]) -> HashMap<usize, Vec<&Row{n}>> {{
        let mut groups = HashMap::new();
        for row in rows {{ groups.entry(row.values.len()).or_insert_with(Vec::new).push(row); }}
        groups
    }}
    pub fn total{n}(rows: &[Row{n}]) -> f64 {{
        group{n}(rows).values().flat_map(|g| g.iter()).flat_map(|r| r.values.iter()).sum()
    }}
}}
"""


def make_workspace(path):
    members = []
    for crate in range(10):
        name = f"crate{crate}"
        members.append(f'"{name}"')
        os.makedirs(os.path.join(path, name, "src"))
        with open(os.path.join(path, name, "Cargo.toml"), "w", encoding="ascii") as file:
            file.write(f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n')
        with open(os.path.join(path, name, "src", "main.rs"), "w", encoding="ascii") as file:
            for n in range(10):
                file.write(FUNCTION.format(n=n))
            calls = " + ".join(f"part{n}::total{n}(&part{n}::build{n}({n}))" for n in range(10))
            file.write(f'fn main() {{ println!("{{}}", {calls}); }}\n')
    with open(os.path.join(path, "Cargo.toml"), "w", encoding="ascii") as file:
        file.write(f'[workspace]\nresolver = "2"\nmembers = [{", ".join(members)}]\n')


def peak_kb(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1])
    except OSError:
        pass
    return 0


def main():
    need("cargo")
    work = folder()
    make_workspace(work)
    recorder = subprocess.Popen([WICK, "record", "-o", os.path.join(work, "wick.data"), "--", "cargo",
                                 "build", "--release", "--offline", "-j", "10", "--quiet"],
                                cwd=work, stderr=subprocess.PIPE)
    peak = 0
    while recorder.poll() is None:
        peak = max(peak, peak_kb(recorder.pid))
        time.sleep(0.02)
    print(recorder.stderr.read().decode().strip())
    print(f"peak resident memory of the recorder: {peak / 1024:.1f} MiB")
    print(f"file: {os.path.getsize(os.path.join(work, 'wick.data'))} B")


main()
