// Names of nodes that mean the same in another tree of the same stacks, and in another page: a
// 64-bit hash of the names on the way from the root.
import { Kind, type Tree } from './tree';

export interface PathHashes { high: Uint32Array; low: Uint32Array }

export function hashText(text: string): [number, number] {
	let a = 0x811c9dc5, b = 0x9e3779b9;
	for (let i = 0; i < text.length; i++) {
		const c = text.charCodeAt(i);
		a = Math.imul(a ^ c, 0x01000193);
		b = Math.imul(b + c ^ b >>> 13, 0x5bd1e995);
	}
	return [a >>> 0, b >>> 0];
}

export function pathHashes(tree: Tree, name: (node: number) => string): PathHashes {
	const high = new Uint32Array(tree.count), low = new Uint32Array(tree.count);
	const known: [number, number][][] = []; // by kind and id
	for (let node = 1; node < tree.count; node++) {
		const kind = tree.kind[node], own = (known[kind] ??= [])[tree.id[node]]
			??= hashText((kind === Kind.Function ? '' : kind + ':') + name(node));
		const above = tree.parent[node];
		high[node] = Math.imul(high[above] ^ own[0], 0x85ebca6b) + own[1];
		low[node] = Math.imul(low[above] + own[1], 0xc2b2ae35) ^ own[0];
	}
	return { high, low };
}

const hex = (n: number) => n.toString(16).padStart(8, '0');

export const pathName = (hashes: PathHashes, node: number): string =>
	node ? hex(hashes.high[node]) + hex(hashes.low[node]) : '';

// 0 if there is none.
export function findPath(hashes: PathHashes, path: string): number {
	const high = parseInt(path.slice(0, 8), 16), low = parseInt(path.slice(8), 16);
	for (let node = 1; path && node < hashes.high.length; node++)
		if (hashes.low[node] === low && hashes.high[node] === high)
			return node;
	return 0;
}

export function findPaths(hashes: PathHashes, paths: ReadonlySet<string>): Set<number> {
	const result = new Set<number>();
	for (let node = 1; paths.size > 0 && node < hashes.high.length; node++)
		if (paths.has(pathName(hashes, node)))
			result.add(node);
	return result;
}
