// What the page shows of a recording that is not in it: asked of the program that serves the page, again
// whenever the selection changes. Until the answer comes, the last one is shown.
import { signal, type Signal } from '@preact/signals';
import { ask, Refusal, served } from './server';

export const isInParts = (): boolean => served.value?.trees === true;

// Why nothing new comes; '' if it does.
export const trouble = signal('');
export const isWaiting = signal(false);

interface Slot { path: string; done: string; isBusy: boolean; answer: Signal<unknown>; read(plain: Uint8Array): unknown }
let slots = new Map<string, Slot>();

// A selection that changes faster than it is answered is asked for when the answer before has come. What is
// refused has no answer; that of before stays only if the program has ended.
async function run(slot: Slot): Promise<void> {
	while (slot.done !== slot.path) {
		const { path, read } = slot;
		let answer = slot.answer.value;
		isWaiting.value = true;
		try {
			answer = read(new Uint8Array(await (await ask(path)).arrayBuffer()));
			trouble.value = '';
		} catch (error) {
			if (error instanceof Refusal)
				answer = error;
			else
				trouble.value = (error as Error).message;
		}
		slot.done = path; // before it is read
		slot.answer.value = answer;
	}
	slot.isBusy = false;
	isWaiting.value = [...slots.values()].some(one => one.isBusy);
}

// The last answer to a question, null before the first. `slot` names the question, whatever the selection.
export function asked<T>(name: string, path: string, read: (plain: Uint8Array) => T): T | Refusal | null {
	let slot = slots.get(name);
	if (!slot)
		slots.set(name, slot = { path: '', done: '', isBusy: false, answer: signal(null), read });
	slot.path = path;
	slot.read = read;
	if (!slot.isBusy && slot.done !== path) {
		slot.isBusy = true;
		void Promise.resolve(slot).then(run);
	}
	const answer = slot.answer.value;
	return answer instanceof Refusal && slot.done !== path ? null : answer as T | Refusal | null;
}

export function forget(): void {
	slots = new Map();
	trouble.value = '';
	isWaiting.value = false;
}

type Word = string | number | boolean | null | undefined;

// What is empty, 0 or false is left out: it is the default.
export const request = (route: string, words: Record<string, Word>): string => route + '?' + new URLSearchParams(
	Object.entries(words).filter(([, value]) => value).map(([key, value]) => [key, value === true ? '1' : String(value)]));
