// Builds the page: one HTML file with its script and style, and the policy that allows only these.
//
//	node web/page/build.js [FILE]      writes FILE [default: web/page/built/page.html]
//
// esbuild makes one script of the sources, swc makes it small: it is better at that. The same sources with
// the versions of package.json give the same bytes.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const own = dirname(fileURLToPath(import.meta.url));
const modules = process.env.NODE_PATH || join(own, '..', '..', 'build-npm', 'node_modules');
const load = createRequire(join(modules, 'x.js'));
const { buildSync, transformSync } = load('esbuild');
const { minifySync } = load('@swc/core');

const built = buildSync({
	entryPoints: [join(own, 'src', 'main.tsx')],
	bundle: true,
	target: 'es2022',
	format: 'esm',
	jsx: 'transform',
	jsxFactory: 'h',
	jsxFragment: 'Fragment',
	inject: [join(own, 'src', 'jsx.ts')],
	tsconfigRaw: {}, // that of the type check has other JSX
	legalComments: 'none',
	define: { 'window.__PREACT_SIGNALS_DEVTOOLS__': 'false' },
	nodePaths: [modules],
	absWorkingDir: own,
	outdir: 'out',
	write: false,
	logLevel: 'warning',
});
const textOf = ending => built.outputFiles.find(file => file.path.endsWith(ending)).text;
const minified = minifySync(textOf('.js'), {
	module: true,
	compress: { passes: 6, toplevel: true, ecma: 2022, unsafe_arrows: true },
	mangle: { toplevel: true },
	format: { ecma: 2022, comments: false, ascii_only: true },
}).code;
const styled = transformSync(textOf('.css'), { loader: 'css', minify: true }).code.trim();

// Names of classes are long in the sources ("grid-row") and short in the page, but for those that tests know.
const KEPT = ['shell-chip', 'shell-status', 'tab-answer', 'compare-list', 'compare-lists'];
const classes = [...new Set([...styled.matchAll(/\.([a-z]+(-[a-z]+)+)/g)].map(match => match[1]))]
	.filter(name => !KEPT.includes(name));
const shortNames = new Map(classes.map((name, i) => [name, 'c' + i.toString(36)]));
const shortOf = name => shortNames.get(name) ?? name;
const shorten = text => text.replace(/(?<=["'` ]\.?)[a-z]+(-[a-z]+)+(?=[^\w-])/g, shortOf);
const unused = classes.filter(name => !new RegExp(`["'\`. ]${name}["'\`\\[ ]`).test(minified));
if (unused.length)
	throw new Error(`classes of the style that the script does not name: ${unused.join(', ')}`);

// What a name could not do, the script itself must not do either.
const harmless = shorten(minified).replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--');
const script = `"use strict";{${harmless}}`;
const style = styled.replace(/(?<=\.)[a-z]+(-[a-z]+)+/g, shortOf);
const hash = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title><!--wick:title--></title>
<style>${style}</style>
<div id="app"></div>
<main id="plain">
<p>The hottest functions. The whole analysis needs JavaScript, in a browser of 2023 or later.</p>
<!--wick:table-->
</main>
<script>${script}</script>
<!--wick:data-->
`;
const target = process.argv[2] || join(own, 'built', 'page.html');
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, page);
