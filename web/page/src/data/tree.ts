// A tree that the program that serves the page made of the samples: docs/report-format.md, "Answers of a
// server".
import { decodeColumns, headOf } from './blocks';
import { namesOf } from './recording';
import type { Names } from './types';
import { childrenOfParents, Kind, type Tree } from '../views/tree';
import { HAS_OWN_ID } from '../views/words';

export interface ServedTree { event: number; tree: Tree; names: Names }

const WIDE = ['node', 'firstTime', 'total', 'totalTimes', 'self', 'selfTimes', 'leftWeight', 'allocated', 'allocations'];

export function treeOf(plain: Uint8Array, event: number): ServedTree {
	const { head, end } = headOf(plain);
	const { names: raw, texts, cutStacks } = head as { names: Parameters<typeof namesOf>[0]; texts: string[]; cutStacks: number };
	const columns = decodeColumns(plain.subarray(end), WIDE), names = namesOf(raw);
	const wide = (name: string) => columns[name] as Float64Array, narrow = (name: string) => columns[name] as Uint32Array;
	const parent = narrow('parent'), count = parent.length, kind = Uint8Array.from(narrow('level'));
	const fn = narrow('function'), text = narrow('text'), known = narrow('id');
	const depth = new Uint16Array(count);
	for (let node = 1; node < count; node++)
		depth[node] = depth[parent[node]] + 1;
	return { event, names, tree: {
		count, parent, kind, depth, ...childrenOfParents(parent), cut: cutStacks,
		id: Uint32Array.from(kind, (level, node) => level === Kind.Function ? fn[node]
			: level === Kind.Module ? names.image[fn[node]] : HAS_OWN_ID.has(level) ? known[node] : text[node]),
		inlined: Uint8Array.from(narrow('inlined')), first: wide('firstTime'), firstRow: null,
		self: wide('self'), total: wide('total'), selfTimes: wide('selfTimes'), totalTimes: wide('totalTimes'),
		rules: null, before: null, selfBefore: null, allocated: wide('allocated') ?? null, allocations: wide('allocations') ?? null,
		served: { number: wide('node'), text: Array.from(text, i => texts[i]), left: narrow('left'), leftWeight: wide('leftWeight') },
	} };
}
