// How good the recording is: what was lost, cut or not named.
import { shown } from '../words/format';
import { recording } from '../state/state';
import { SymbolsOfModules } from '../served/Served';
import { quality as words } from '../words/quality';

function Sentences({ title, of }: { title: string; of: string[] }) {
	return of.length === 0 ? null : <><h2>{title}</h2><ul>{of.map(text => <li key={text}>{shown(text)}</li>)}</ul></>;
}

export function Quality() {
	const { head, damaged } = recording.value!;
	const lost = head.events.filter(event => event && event.lost > 0).map(event => words.lost(event!.name, event!.lost));
	const unnamed = head.images.filter(image => image && !image.named && image.reason)
		.map(image => `${image!.name}: ${image!.reason}`);
	return <div class="tab-text" tabIndex={0} role="region" aria-label={words.recording}>
		<Sentences title={words.recording} of={head.quality} />
		<Sentences title={words.warnings} of={[...head.warnings, ...damaged.values()]} />
		<Sentences title={words.losses} of={lost} />
		<Sentences title={words.unnamed} of={unnamed} />
		<SymbolsOfModules />
		{head.warnings.length + damaged.size + lost.length === 0 && <p>{words.good}</p>}
	</div>;
}
