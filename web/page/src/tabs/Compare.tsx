// Two recordings: what got worse and what got better, and any view with both.
import { signal } from '@preact/signals';
import { Damage, pageSource } from '../data/blocks';
import { openRecording } from '../data/recording';
import * as words from '../words/compare';
import { analysis, other, recording, setCurrent, setTab, state, subject, words as treeWords } from '../state/state';
import type { Recording } from '../data/types';
import { Kind } from '../views/tree';
import { changesOf, type Change } from '../views/changes';
import { seconds, shown } from '../words/format';
import { Functions } from '../parts/details/Functions';
import { Stacks } from './Stacks';

const problem = signal('');

export async function openFile(file: File | undefined): Promise<void> {
	if (!file)
		return;
	try {
		const page = new DOMParser().parseFromString(await file.text(), 'text/html');
		if (!page.querySelector('script[data-block]'))
			throw new Damage(words.noPage(file.name));
		other.value = await openRecording(pageSource(page), () => {});
		problem.value = '';
		setTab('compare');
	} catch (error) {
		problem.value = (error as Error).message;
	}
}

function List({ title, of, sum }: { title: string; of: Change[]; sum: number }) {
	const names = treeWords.value!;
	const show = (fn: number) => {
		const { tree } = analysis.value!;
		const change = (node: number) => Math.abs(tree.self[node] - tree.selfBefore![node]);
		let best = 0;
		for (let node = 1; node < tree.count; node++)
			if (tree.kind[node] === Kind.Function && tree.id[node] === fn && (!best || change(node) > change(best)))
				best = node;
		setCurrent(best);
	};
	return <section class="compare-list">
		<h2>{title} <span class="compare-sum">{words.signed(sum, names.amount)}</span></h2>
		{of.length === 0 ? <p>{words.none}</p> : <Functions onChoose={show} of={of.map(({ fn, before, after }) => {
			const name = shown(subject.value!.names.names[fn]);
			return { id: fn, name, short: shown(subject.value!.names.short[fn]) || name, text: words.change(before, after, names.amount) };
		})} />}
	</section>;
}

function Changes() {
	const shape = analysis.value;
	if (!shape || !treeWords.value)
		return null;
	const { worse, better, more, less } = changesOf(shape.tree);
	const of = ({ head }: Recording) => `${shown(head.title || head.input)}, ${seconds(head.last, head.last)}`;
	return <div class="compare-lists">
		<p class="compare-what">{words.what(of(other.value!), of(recording.value!))}{' '}
			<button onClick={() => { other.value = null; }}>{words.another}</button></p>
		<List title={words.worse} of={worse} sum={more} />
		<List title={words.better} of={better} sum={less} />
	</div>;
}

export function Compare() {
	if (other.value)
		return <><Changes /><Stacks key={state.value.tab} /></>;
	return <div class="shell-message">
		<h2>{words.title}</h2>
		<p>{words.drop}</p>
		<p><label>{words.open} <input type="file" accept=".html,.htm"
			onChange={event => void openFile(event.currentTarget.files?.[0])} /></label></p>
		<p>{words.command}<code>{words.example}</code></p>
		{problem.value && <p role="alert">{shown(problem.value)}</p>}
	</div>;
}
