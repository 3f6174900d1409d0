// Two recordings: what got worse and what got better, and any view with both.
import { signal } from '@preact/signals';
import { Damage, pageSource } from '../data/blocks';
import { openRecording } from '../data/recording';
import * as words from '../words/compare';
import { analysis, other, panel, recording, setCurrent, setTab, state, words as treeWords } from '../state/state';
import type { Recording } from '../data/types';
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
	return <section class="compare-list">
		<h2>{title} <span class="compare-sum">{words.signed(sum, names.amount)}</span></h2>
		{of.length === 0 ? <p>{words.none}</p> : <Functions onChoose={setCurrent} of={of.map(({ node, before, after }) =>
			({ id: node, name: names.name(node), short: names.short(node), text: words.change(before, after, names.amount) }))} />}
	</section>;
}

function Changes() {
	const shape = analysis.value;
	if (!shape || !treeWords.value)
		return null;
	const { worse, better, more, less } = changesOf(shape.tree, panel.value.inverted);
	const of = ({ head }: Recording) => `${shown(head.title || head.input)}, ${seconds(head.last, head.last)}`;
	return <div class="compare-lists">
		<p class="compare-what">{words.what(of(other.value!), of(recording.value!))}{state.value.range && ' ' + words.range}{' '}
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
