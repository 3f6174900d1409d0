// The picture's script and the page cut names as names/label.c does: by the list that
// tests/unit/test_short_name.c reads. Needs node alone.
//
//	node tests/browser/test_short_name.js
//
// Prints TAP.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const root = process.env.WICK_SOURCE_ROOT || path.join(__dirname, '..', '..');
const script = vm.createContext({ data: {} });
const read = file => fs.readFileSync(path.join(root, 'web', file), 'utf8').replace(/^export /gm, '');
vm.runInContext(read('label.js') + read('amounts.js') + read('svg_words.js') + '\nglobalThis.cut = cut;', script);

const wrong = [];
let count = 0;
for (const line of fs.readFileSync(path.join(root, 'tests', 'data', 'short_names.tsv'), 'utf8').split('\n')) {
	const [room, shown, short, name] = line.split('\t');
	if (name === undefined)
		continue;
	count++;
	const came = script.cut(short, Number(room));
	if (came !== shown)
		wrong.push('# ' + short + ' in ' + room + ': expected ' + shown + ', came ' + came);
}
console.log('1..1');
console.log((wrong.length || count < 60 ? 'not ok' : 'ok') + ' 1 - names are shown as listed');
for (const words of wrong)
	console.log(words);
process.exit(wrong.length || count < 60 ? 1 : 0);
