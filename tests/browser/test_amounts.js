// The picture's script tells amounts as base/num.c does in the static part of the picture. Needs
// node alone.
//
//	node tests/browser/test_amounts.js
//
// Prints TAP.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const root = process.env.WICK_SOURCE_ROOT || path.join(__dirname, '..', '..');
const script = vm.createContext({ data: { factor: 1 } });
const read = file => fs.readFileSync(path.join(root, 'web', file), 'utf8').replace(/^export /gm, '');
vm.runInContext(read('amounts.js') + read('svg_words.js') + '\nglobalThis.amount = amount;', script);

const listed = [
	['bytes', 0, '0 B'], ['bytes', 1023, '1023 B'], ['bytes', 1024, '1.0 KiB'],
	['bytes', 409600, '400.0 KiB'], ['bytes', 1572864, '1.5 MiB'],
	['bytes', 2 ** 40, '1.0 TiB'], ['bytes', 2 ** 70, '1024.0 EiB'],
	['ns', 1500, '1 us'], ['ns', 2500000, '2.5 ms'], ['ns', 1e9, '1.000 s'],
	['samples', 1234567, '1,234,567 samples'],
];
const wrong = [];
for (const [unit, weight, expected] of listed) {
	script.data.unit = unit;
	const came = script.amount(weight);
	if (came !== expected)
		wrong.push('# ' + weight + ' ' + unit + ': expected ' + expected + ', came ' + came);
}
console.log('1..1');
console.log((wrong.length ? 'not ok' : 'ok') + ' 1 - amounts are told for people');
for (const words of wrong)
	console.log(words);
process.exit(wrong.length ? 1 : 0);
