// The blocks at the end of the page, and the columns in them: docs/report-format.md.

export class Damage extends Error {}

// More than any page has; and what deflate cannot pack.
const MOST_BYTES = 2 ** 30, MOST_RATIO = 1100, MOST_ROWS = 2 ** 26, MOST_COLUMNS = 32;

type Plain = Uint8Array<ArrayBuffer>;

function fromBase64(text: string): Plain {
	const quick = (Uint8Array as unknown as { fromBase64?: (text: string) => Plain }).fromBase64;
	if (quick)
		return quick(text);
	const binary = atob(text);
	const result = new Uint8Array(binary.length);
	for (let i = 0; i < binary.length; i++)
		result[i] = binary.charCodeAt(i);
	return result;
}

async function inflate(packed: Plain, size: number): Promise<Plain> {
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
	if (!(size <= MOST_BYTES && size <= MOST_RATIO * packed.length))
		throw new Damage(`${size} bytes cannot be in it`);
	const plain = new Uint8Array(size);
	const reader = stream.getReader();
	let at = 0;
	for (;;) {
		const { done, value } = await reader.read();
		if (done)
			break;
		if (at + value.length > size) {
			void reader.cancel();
			throw new Damage('it is larger than it says');
		}
		plain.set(value, at);
		at += value.length;
	}
	if (at < size)
		throw new Damage('it ends early');
	return plain;
}

// Where blocks are read from: this page, another that was dropped on it, or the program that serves it.
export interface Source {
	has(name: string): boolean;
	read(name: string): Promise<Plain | null>; // its plain bytes; null: there is none of that name
}

// `prefix` is "before/" for the other recording of a page that has two.
export function pageSource(page: ParentNode, prefix = ''): Source {
	const scriptOf = (name: string): HTMLScriptElement | null =>
		page.querySelector(`script[data-block="${CSS.escape(name === 'end' ? name : prefix + name)}"]`);
	return {
		has: name => scriptOf(name) !== null,
		// Its text is dropped: the bytes take its place. The first block is read twice.
		async read(name) {
			const script = scriptOf(name);
			if (!script)
				return null;
			const packed = fromBase64((script.textContent ?? '').trim());
			const plain = script.dataset.packing === 'gzip' ? await inflate(packed, Number(script.dataset.bytes)) : packed;
			if (name !== 'head')
				script.textContent = '';
			return plain;
		},
	};
}

async function readBlock<T>(source: Source, name: string, decode: (plain: Plain) => T): Promise<T | null> {
	try {
		const plain = await source.read(name);
		return plain && decode(plain);
	} catch (error) {
		throw new Damage(`the part "${name}" of the data is damaged: ${(error as Error).message}`);
	}
}

export const jsonOf = (plain: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(plain));

export const readJson = (source: Source, name: string): Promise<unknown> => readBlock(source, name, jsonOf);

interface ColumnHead { name: string; rows: number; bytes: number; base?: number; scale?: number; delta?: boolean }

export type Columns = Record<string, Float64Array | Uint32Array>;

function joinPlanes(planes: Uint8Array, bytes: number, values: Float64Array | Uint32Array): void {
	const rows = values.length, third = bytes > 2 ? 2 * rows : 0, fourth = bytes > 3 ? 3 * rows : 0;
	for (let i = 0; i < rows; i++) {
		let value = planes[i] | planes[rows + i] << 8;
		if (third)
			value |= planes[third + i] << 16;
		if (fourth)
			value |= planes[fourth + i] << 24;
		values[i] = value >>> 0;
	}
}

// JSON that begins with its length, and where it ends.
export function headOf(plain: Uint8Array): { head: unknown; end: number } {
	const end = 4 + new DataView(plain.buffer, plain.byteOffset).getUint32(0, true);
	return { head: jsonOf(plain.subarray(4, end)), end };
}

// Those in `wide` are numbers of 53 bits, the others of 32.
export function decodeColumns(plain: Uint8Array, wide: string[]): Columns {
	const { head, end } = headOf(plain), heads = head as ColumnHead[];
	const columns: Columns = {};
	let at = end;

	for (const { name, rows, bytes, base = 0, scale = 1, delta } of heads) {
		if (!(rows <= MOST_ROWS && heads.length <= MOST_COLUMNS))
			throw new Damage('it has too many rows or columns');
		if (at + rows * bytes > plain.length)
			throw new Damage('a column is cut off');
		const values = wide.includes(name) ? new Float64Array(rows) : new Uint32Array(rows);
		if (bytes === 1)
			values.set(plain.subarray(at, at + rows));
		else if (bytes > 1 && bytes < 5)
			joinPlanes(plain.subarray(at, at + rows * bytes), bytes, values);
		else
			for (let plane = 0, worth = 1; plane < bytes; plane++, worth *= 256)
				for (let i = 0; i < rows; i++)
					values[i] += plain[at + plane * rows + i] * worth;
		at += rows * bytes;
		if (delta)
			for (let i = 0, sum = 0; i < rows; i++)
				values[i] = (sum += values[i] + base) * scale;
		else if (!bytes)
			values.fill(base * scale);
		else if (base || scale !== 1)
			for (let i = 0; i < rows; i++)
				values[i] = (values[i] + base) * scale;
		columns[name] = values;
	}
	return columns;
}

export const readColumns = (source: Source, name: string, wide: string[]): Promise<Columns | null> =>
	readBlock(source, name, plain => decodeColumns(plain, wide));
