// Colours of frames and series. Those of frames are the ones of render/colours/kind_colours.c, so a
// function looks the same in the page and in an SVG.

const SHADES = 5, STEP = 9; // shades differ by 4 % of lightness; the middle one is the colour itself
const STRUCTURE = 8;
const OWN_PART = 0.64; // of an inlined frame's colour

// By look: the kinds of code, structure, start-up code.
const LIGHT = [
	0xf8a75e, 0xf9cd4c, 0xf3e5b7, 0x8fa8ea, 0xcb92b9, 0x56c399, 0xea8670, 0xc9ced3, 0xe4e8eb, 0xdce1e6,
];
const DARK = [
	0xd58c42, 0xd3bf4d, 0xb3be91, 0x61bbee, 0xb68fc8, 0x70a085, 0xf18a70, 0x919aa2, 0x979fa7, 0x8c949c,
];

const hex = (colour: number) => '#' + colour.toString(16).padStart(6, '0');

function mapChannels(colour: number, change: (channel: number, shift: number) => number): number {
	let result = 0;
	for (let shift = 16; shift >= 0; shift -= 8)
		result |= Math.max(0, Math.min(255, Math.floor(change(colour >> shift & 255, shift)))) << shift;
	return result;
}

const mix = (colour: number, other: number, part: number) =>
	mapChannels(colour, (channel, shift) => channel * part + (other >> shift & 255) * (1 - part) + 1e-9);

// The same of "#rrggbb".
const number = (text: string) => parseInt(text.slice(1), 16);
export const mixed = (colour: string, other: string, part: number): string => hex(mix(number(colour), number(other), part));

export const rgb = (channels: number[]): string => hex(channels.reduce((sum, channel) => sum << 8 | channel, 0));

// ---- wk_hash_fixed of base/hash.c

const FACTOR = 0xd6e8feb86659fd93n;
const encoder = new TextEncoder();
const multiplied = (v: bigint) => BigInt.asUintN(64, v * FACTOR);
const folded = (v: bigint) => v ^ v >> 32n;

const PARTS = 40n; // of which 5 shades and 8 series are a part
const hashes = new Map<string, number>();

// The hash modulo `parts`, which is 5 or 8.
function partOf(text: string, parts: number): number {
	let hash = hashes.get(text);
	if (hash === undefined)
		hashes.set(text, hash = Number(hashOf(text) % PARTS));
	return hash % parts;
}

function hashOf(text: string): bigint {
	const bytes = encoder.encode(text);
	const padded = new DataView(new ArrayBuffer(bytes.length + 8));
	new Uint8Array(padded.buffer).set(bytes);
	let hash = 0x9e3779b97f4a7c15n ^ BigInt(bytes.length), at = 0;
	for (; at + 8 <= bytes.length; at += 8)
		hash = folded(multiplied(hash ^ padded.getBigUint64(at, true)));
	hash ^= padded.getBigUint64(at, true);
	return folded(multiplied(folded(multiplied(folded(hash)))));
}

// ---- frames

// A look and a shade in one number, of which there are few: for tables by node.
export const shadeOf = (look: number, name: string): number =>
	look * SHADES + (look === STRUCTURE ? SHADES >> 1 : partOf(name, SHADES));

export const lookOfShade = (shade: number): number => Math.floor(shade / SHADES);

const made: string[] = [];

function makeColour(shade: number, inlined: boolean, isDark: boolean): string {
	const base = (isDark ? DARK : LIGHT)[lookOfShade(shade)];
	const colour = mapChannels(base, channel => channel + (shade % SHADES - (SHADES >> 1)) * STEP);
	return hex(inlined ? mix(colour, isDark ? 0xa4acb5 : 0xffffff, OWN_PART) : colour);
}

export const shadeColour = (shade: number, inlined: boolean, isDark: boolean): string =>
	made[shade << 2 | +inlined << 1 | +isDark] ??= makeColour(shade, inlined, isDark);

export const frameColour = (look: number, name: string, inlined: boolean, isDark: boolean): string =>
	shadeColour(shadeOf(look, name), inlined, isDark);

// ---- differences

const LEVELS = 16;

// `share` is from -1 (gone) to 1 (new). Small changes are told apart more than large ones.
export function differenceColour(share: number, isDark: boolean): string {
	const part = Math.round(Math.sqrt(Math.min(Math.abs(share), 1)) * LEVELS) / LEVELS;
	const end = share > 0 ? (isDark ? 0xf0a35c : 0xa1450b) : isDark ? 0x7fb8f0 : 0x1b5e9e;
	return hex(mix(end, isDark ? 0x7f878f : 0xe4e8eb, part));
}

// Black or white, whichever is easier to read on "#rrggbb".
export function inkOn(colour: string): string {
	const linear = (at: number) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2;
	return 0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5) < 0.1791 ? '#fff' : '#000';
}

// ---- series of charts

// Any two differ by CIE76 40 or more with normal sight and 18 with red-, green- or blue-blind sight,
// and each has a contrast of 3.2 or more with the page.
const SERIES_LIGHT = ['#1c64b8', '#ef5902', '#18533d', '#ad4482', '#a68357', '#22118f', '#2b99b9', '#582001'];
const SERIES_DARK = ['#5a7aa9', '#dd5518', '#47b972', '#ff8bb4', '#f9df4e', '#8660d1', '#98e9f9', '#885f53'];

export const seriesColour = (name: string, isDark: boolean): string =>
	(isDark ? SERIES_DARK : SERIES_LIGHT)[partOf(name, SERIES_LIGHT.length)];
