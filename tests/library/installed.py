"""The library as a user has it: installed in a folder of its own, found with pkg-config, and called
from C, C++ and Python."""
import atexit
import ctypes
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # pylint: disable=wrong-import-position

EXAMPLES = tap.ROOT / "examples"
DATA = tap.ROOT / "tests" / "data"


@functools.cache
def root():
    """The root folder of the installation."""
    folder = tempfile.mkdtemp(prefix="wick-installed-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    tap.run("meson", "install", "-C", tap.BUILD, "--no-rebuild", "--quiet", "--destdir", folder)
    return pathlib.Path(folder)


@functools.cache
def library():
    found = list(root().rglob("libwick.so.0"))
    if len(found) != 1:
        raise tap.Failure(f"expected one libwick.so.0, found {found}")
    return found[0]


def environment():
    return os.environ | {"PKG_CONFIG_PATH": str(library().parent / "pkgconfig"),
                         "PKG_CONFIG_SYSROOT_DIR": str(root()),
                         "LD_LIBRARY_PATH": str(library().parent)}


def pkg_config(*words):
    tap.need("pkg-config")
    return tap.run("pkg-config", *words, "wick", env=environment()).stdout.split()


def compiled(t, source, compiler="cc", *flags, static=False):
    """The program that `source` becomes; warnings are errors."""
    language = ["-x", "c++"] if "++" in compiler else []
    tap.need(compiler)
    program = t.folder / f"{pathlib.Path(source).stem}-{compiler}"
    libraries = pkg_config("--libs")
    if static:
        libraries = ["-l:libwick.a", "-Wl,--as-needed", *pkg_config("--libs", "--static")]
    tap.run(compiler, "-g", "-O1", "-Wall", "-Werror", *flags, *pkg_config("--cflags"), *language,
            source, "-x", "none", "-o", program, *libraries)
    return program


def ran(program, *words, check=True, **options):
    return tap.run(program, *words, check=check, env=environment(), **options)


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int32), ("reserved", ctypes.c_int32),
                ("offset", ctypes.c_uint64), ("text", ctypes.c_char * 624)]


class Frame(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("function", ctypes.c_char_p),
                ("linked", ctypes.c_char_p), ("file", ctypes.c_char_p),
                ("module", ctypes.c_char_p), ("address", ctypes.c_uint64),
                ("line", ctypes.c_uint32), ("column", ctypes.c_uint32),
                ("is_inlined", ctypes.c_bool), ("is_kernel", ctypes.c_bool)]


class Sample(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("time_ns", ctypes.c_uint64),
                ("weight", ctypes.c_uint64), ("count", ctypes.c_uint64),
                ("stack", ctypes.c_uint64), ("source", ctypes.c_uint32), ("cpu", ctypes.c_uint32),
                ("pid", ctypes.c_uint32), ("tid", ctypes.c_uint32), ("process", ctypes.c_char_p),
                ("thread", ctypes.c_char_p)]


TAKE_FRAME = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.POINTER(Frame))
WRITE = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
TAKE_EVENT = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)


@functools.cache
def loaded():
    """The library in this Python, with the types of what is called here."""
    exported = subprocess.run(["nm", "-D", library()], capture_output=True, text=True, check=True)
    if "__asan" in exported.stdout or "__tsan" in exported.stdout:
        raise tap.Skip("a library with a sanitizer cannot be loaded by Python")
    wick = ctypes.CDLL(str(library()))
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    wick.wick_version.restype = text
    wick.wick_context_new.restype = pointer
    wick.wick_context_new.argtypes = [pointer, pointer]
    wick.wick_context_free.argtypes = [pointer]
    wick.wick_read_events.restype = ctypes.c_bool
    wick.wick_read_events.argtypes = [pointer, text, pointer, TAKE_EVENT, pointer, pointer]
    wick.wick_event_text.restype = text
    wick.wick_event_text.argtypes = [pointer]
    wick.wick_input_format.restype = text
    wick.wick_input_format.argtypes = [ctypes.c_size_t]
    wick.wick_symbols_new.restype = pointer
    wick.wick_symbols_new.argtypes = [pointer, pointer]
    wick.wick_symbols_free.argtypes = [pointer]
    wick.wick_symbols_of_file.restype = ctypes.c_bool
    wick.wick_symbols_of_file.argtypes = [pointer, text, ctypes.c_uint64, TAKE_FRAME, pointer,
                                          pointer]
    wick.wick_symbols_of_process.restype = ctypes.c_bool
    wick.wick_symbols_of_process.argtypes = [pointer, ctypes.c_int32, ctypes.c_uint64, TAKE_FRAME,
                                             pointer, pointer]
    wick.wick_open.restype = pointer
    wick.wick_open.argtypes = [pointer, text, pointer, pointer]
    wick.wick_close.argtypes = [pointer]
    wick.wick_sample_at.restype = ctypes.c_bool
    wick.wick_sample_at.argtypes = [pointer, ctypes.c_size_t, pointer]
    wick.wick_frame_at.restype = ctypes.c_uint64
    wick.wick_frame_at.argtypes = [pointer, ctypes.c_uint64, pointer]
    wick.wick_render.restype = ctypes.c_bool
    wick.wick_render.argtypes = [pointer, text, pointer, WRITE, pointer, pointer]
    wick.wick_output_format.restype = text
    wick.wick_output_format.argtypes = [ctypes.c_size_t]
    return wick


def rendered(wick, profile, form):
    """The bytes that the library writes."""
    pieces, error = [], Error()
    write = WRITE(lambda user, at, size: pieces.append(ctypes.string_at(at, size)) is None)
    if not wick.wick_render(profile, form.encode(), None, write, None, ctypes.byref(error)):
        raise tap.Failure(f"{form}: {error.text.decode()}")
    return b"".join(pieces)
