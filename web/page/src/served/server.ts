// What the program that serves the page adds to a file: symbols, source code, SQL. docs/view.md lists
// its addresses.
import { signal } from '@preact/signals';
import type { ShownTable } from '../data/types';
import * as words from '../words/served';
import type { Source } from '../data/blocks';

// The data of the page in this mode.
export interface Served {
	served: true;
	generation: number;
	trees: boolean; // there are more samples than a page reads: it asks for trees of them
	blocks: string[];
}

export interface Symbols {
	generation: number;
	change: number;
	state: 'searching' | 'done';
	searched: number;
	searches: number;
	files: { name: string; source: string; bytes: number; size: number; done: boolean }[];
	complaints: string[];
	modules: ShownTable;
}

export interface Annotation { function: string; source: ShownTable | { error: string }; instructions: ShownTable | { error: string } }

export const served = signal<Served | null>(null);
export const symbols = signal<Symbols | null>(null);

// Set by the page: called if the data have got new names.
export const renewal = { run: (): void => {} };

// The program does not answer that question, however often it is asked.
export class Refusal extends Error {}

const addressOf = (path: string): URL => new URL(path, document.baseURI.replace(/[?#].*/, ''));

export async function ask(path: string, options?: RequestInit, tries = 5, generation = served.value!.generation): Promise<Response> {
	const url = addressOf(path);
	url.searchParams.set('generation', String(generation));
	const answer = await fetch(url, options).catch(() => { throw new Error(words.gone); });
	if (answer.status === 503 && tries) { // too many requests wait
		await new Promise(done => setTimeout(done, 300 * 2 ** (5 - tries)));
		return ask(path, options, tries - 1, generation);
	}
	if (answer.status === 410 && generation === served.value!.generation)
		renewal.run();
	if (!answer.ok) {
		const why = (await answer.json().catch(() => null) as { error?: string } | null)?.error ?? `status ${answer.status}`;
		throw answer.status < 500 && answer.status !== 410 ? new Refusal(why) : new Error(why);
	}
	return answer;
}

// All blocks are of one generation: those of the next have other ids.
export function servedSource({ blocks, generation }: Served, prefix: string): Source {
	const has = (name: string) => blocks.includes(prefix + name);
	return {
		has: name => name === 'end' || has(name),
		read: async name => has(name) ? new Uint8Array(await (await ask('block/' + prefix + name, {}, 5, generation)).arrayBuffer()) : null,
	};
}

export const query = async (statement: string): Promise<ShownTable> =>
	(await ask('query', { method: 'POST', body: statement })).json();

export const cancelQuery = (): void => void ask('cancel', { method: 'POST' }).catch(() => {}); // the query fails as well

export const annotate = async (name: string, by: string): Promise<Annotation> =>
	(await ask(`annotate?function=${encodeURIComponent(name)}&by=${encodeURIComponent(by)}`)).json();

export const generationNow = async (): Promise<number> => (await (await fetch(addressOf('symbols'))).json() as Symbols).generation;

// Until all symbols are there, or the server is gone.
export async function followSymbols(): Promise<void> {
	for (let after = ''; ;) {
		const answer = await fetch(addressOf('symbols' + after)).catch(() => null);
		if (!answer?.ok)
			return;
		const news = await answer.json() as Symbols;
		symbols.value = news;
		if (news.generation !== served.value!.generation)
			renewal.run();
		if (news.state === 'done')
			return;
		after = '?after=' + news.change;
	}
}
