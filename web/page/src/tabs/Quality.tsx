// How good the recording is: what was lost, cut or not named.
import { shown } from '../words/format';
import { other, recording } from '../state/state';
import { mainSamples } from '../parts/lanes/state';
import { SymbolsOfModules } from '../served/Served';
import { served } from '../served/server';
import { Shown } from './ShownTables';
import * as words from '../words/quality';

function Sentences({ title, of }: { title: string; of: string[] }) {
	return of.length === 0 ? null : <><h2>{title}</h2><ul>{of.map(text => <li key={text}>{shown(text)}</li>)}</ul></>;
}

export function Quality() {
	const { head } = recording.value!;
	void mainSamples.value; // that a part is damaged is known when it was read
	const damaged = new Map([...recording.value!.damaged, ...(other.value?.damaged ?? [])]);
	const lost = head.events.filter(event => event && event.lost > 0).map(event => words.lost(event!.name, event!.lost));
	return <div class="tab-text" tabIndex={0} role="region" aria-label={words.recording}>
		<Sentences title={words.recording} of={head.quality} />
		<Sentences title={words.warnings} of={[...head.warnings, ...damaged.values()]} />
		<Sentences title={words.losses} of={lost} />
		{head.warnings.length + damaged.size + lost.length === 0 && <p>{words.good}</p>}
		{served.value ? <SymbolsOfModules /> : <>
			<h2>{words.files}</h2>
			<div class="served-modules"><Shown name="images" label={words.files} /></div>
		</>}
	</div>;
}
