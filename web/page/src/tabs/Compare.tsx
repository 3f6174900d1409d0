// Two recordings: what got worse and what got better, and any view with both.
import { signal } from '@preact/signals';
import { Damage, pageSource } from '../data/blocks';
import { openRecording } from '../data/recording';
import { compare as words } from '../words/compare';
import { analysis, change, other, state, subject, words as treeWords } from '../state/state';
import { changesOf, type Change } from '../views/changes';
import { shown } from '../words/format';
import { Stacks } from './Stacks';

const problem = signal('');

async function openFile(file: File | undefined): Promise<void> {
	if (!file)
		return;
	try {
		const page = new DOMParser().parseFromString(await file.text(), 'text/html');
		if (!page.querySelector('script[data-block]'))
			throw new Damage(words.noPage(file.name));
		other.value = await openRecording(pageSource(page), () => {});
		problem.value = '';
	} catch (error) {
		problem.value = (error as Error).message;
	}
}

function List({ title, of, sum }: { title: string; of: Change[]; sum: number }) {
	const names = treeWords.value!;
	const search = (text: string) => change({ search: '^' + text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') + '$' });
	return <section class="compare-list">
		<h2>{title} <span class="compare-sum">{names.amount(sum)}</span></h2>
		{of.length === 0 ? <p>{words.none}</p> : <ol>{of.map(({ fn, before, after }) => {
			const name = shown(subject.value!.names.names[fn]);
			return <li key={fn}><button title={name} onClick={() => search(name)}>
				<span>{shown(subject.value!.names.short[fn]) || name}</span>
				<span>{words.change(before, after, names.amount)}</span>
			</button></li>;
		})}</ol>}
	</section>;
}

function Changes() {
	const shape = analysis.value;
	if (!shape || !treeWords.value)
		return null;
	const { worse, better, more, less } = changesOf(shape.tree);
	return <div class="compare-lists">
		<List title={words.worse} of={worse} sum={more} />
		<List title={words.better} of={better} sum={-less} />
	</div>;
}

export function Compare() {
	if (other.value)
		return <><Changes /><Stacks key={state.value.tab} /></>;
	return <div class="shell-message" onDragOver={event => event.preventDefault()}
		onDrop={event => { event.preventDefault(); void openFile(event.dataTransfer?.files[0]); }}>
		<h2>{words.title}</h2>
		<p>{words.drop}</p>
		<p><label>{words.open} <input type="file" accept=".html,.htm"
			onChange={event => void openFile(event.currentTarget.files?.[0])} /></label></p>
		<p>{words.command}<code>{words.example}</code></p>
		{problem.value && <p role="alert">{shown(problem.value)}</p>}
	</div>;
}
