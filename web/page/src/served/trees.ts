// What the page shows of a recording that is not in it: asked of the program that serves the page, again
// whenever the selection changes. Until the answer comes, the last one is shown.
import { signal, type Signal } from '@preact/signals';
import { ask, served } from './server';

export const isInParts = (): boolean => served.value?.trees === true;

interface Slot { path: string; done: string; isBusy: boolean; answer: Signal<unknown>; read(plain: Uint8Array): unknown }
let slots = new Map<string, Slot>();

// A selection that changes faster than it is answered is asked for when the answer before has come.
async function run(slot: Slot): Promise<void> {
	while (slot.done !== slot.path) {
		const { path, read } = slot;
		try {
			slot.answer.value = read(new Uint8Array(await (await ask(path)).arrayBuffer()));
		} catch { /* the last answer stays */ }
		slot.done = path;
	}
	slot.isBusy = false;
}

// The last answer to a question, null before the first. `slot` names the question, whatever the selection.
export function asked<T>(name: string, path: string, read: (plain: Uint8Array) => T): T | null {
	let slot = slots.get(name);
	if (!slot)
		slots.set(name, slot = { path: '', done: '', isBusy: false, answer: signal(null), read });
	slot.path = path;
	slot.read = read;
	if (!slot.isBusy && slot.done !== path) {
		slot.isBusy = true;
		void Promise.resolve(slot).then(run);
	}
	return slot.answer.value as T | null;
}

export function forget(): void {
	slots = new Map();
}

type Word = string | number | boolean | null | undefined;

// What is empty, 0 or false is left out: it is the default.
export const request = (route: string, words: Record<string, Word>): string => route + '?' + new URLSearchParams(
	Object.entries(words).filter(([, value]) => value).map(([key, value]) => [key, value === true ? '1' : String(value)]));
