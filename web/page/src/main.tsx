import { render } from 'preact';
import { batch, effect } from '@preact/signals';
import './style.css';
import { shown } from './words/format';
import * as words from './words/shell';
import { Damage, jsonOf, pageSource, type Source } from './data/blocks';
import { followSymbols, generationNow, renewal, served, servedSource, type Served } from './served/server';
import { isInParts } from './served/trees';
import { openRecording } from './data/recording';
import type { Recording } from './data/types';
import { onKey } from './state/actions';
import { openPreset } from './state/rules';
import { failure, followLink, loading, other, recording, start, state } from './state/state';
import { Chips, Status, Tabs, Title } from './parts/shell/Bars';
import { Dialogs } from './parts/shell/Dialogs';
import { Menu } from './parts/shell/Menu';
import { Strip } from './tabs/Strip';
import { openFile } from './tabs/Compare';
import { View } from './tabs/View';

function Page() {
	if (failure.value)
		return <div class="shell-message" role="alert"><h1>{words.noData}</h1><p>{words.remedy}</p><pre>{shown(failure.value)}</pre></div>;
	if (!recording.value)
		return <div class="shell"><header class="shell-title"><h1>{document.title}</h1></header>
			<p class="shell-message" role="status">{words.reading(words.parts[loading.value || 'head'] ?? loading.value)}</p></div>;
	return <div class="shell">
		<Title />
		<Tabs />
		<Chips />
		<Strip />
		<main class="shell-main">
			<div id="view" class="shell-main" role="tabpanel" aria-labelledby={'tab-' + state.value.tab}><View /></div>
		</main>
		<Status />
		<Menu />
		<Dialogs />
	</div>;
}

// From the file, or from the program that serves the page. `prefix` is that of the recording's blocks.
const sourceOf = (prefix = ''): Source =>
	served.value ? servedSource(served.value, prefix) : pageSource(document, prefix);

// The recording to compare with; null if it cannot be read, which must not harm the page.
async function openOther(): Promise<Recording | null> {
	const before = sourceOf('before/');
	return before.has('head') ? openRecording(before, () => {}, isInParts()).catch(() => null) : null;
}

// Another one that was opened in the meantime stays.
let ownOther: Recording | null = null;
function setOther(before: Recording | null): void {
	if (other.value === ownOther)
		other.value = before;
	ownOther = before;
}

async function open(): Promise<void> {
	try {
		const bytes = await sourceOf().read('head').catch(() => null); // openRecording says what is wrong with it
		const head = bytes && jsonOf(bytes) as Partial<Served>;
		if (head?.served)
			served.value = head as Served;
		start(await openRecording(sourceOf(), part => { loading.value = part; }, isInParts()), location.hash);
		setOther(await openOther());
		if (served.value)
			void followSymbols();
	} catch (error) {
		failure.value = error instanceof Damage ? error.message : String((error as Error).stack ?? error);
	}
}

// The same recording with new names: the place is kept, as the link has it.
let isRenewing = false;
async function renew(): Promise<void> {
	if (isRenewing)
		return;
	isRenewing = true;
	try {
		const generation = await generationNow();
		if (generation !== served.value!.generation) {
			served.value = { ...served.value!, generation };
			const [opened, before] = await Promise.all([openRecording(sourceOf(), () => {}, isInParts()), openOther()]);
			batch(() => {
				setOther(before);
				start(opened, location.hash);
				failure.value = ''; // names may arrive while the page opens
			});
		}
	} catch { /* the program has ended: what is shown stays */ }
	isRenewing = false;
}

// What cannot unpack the data shows the plain table of the file instead.
if (typeof DecompressionStream === 'function') {
	document.getElementById('plain')?.remove();
	render(<Page />, document.getElementById('app')!);
	renewal.run = () => void renew();
	addEventListener('keydown', onKey);
	// Anywhere: a browser would open a dropped page in place of this one.
	addEventListener('dragover', event => event.preventDefault());
	addEventListener('drop', event => {
		event.preventDefault();
		const file = event.dataTransfer?.files[0];
		void (file?.name.endsWith('.json') ? openPreset(file) : openFile(file));
	});
	addEventListener('hashchange', () => followLink(location.hash));
	addEventListener('popstate', () => followLink(location.hash));
	effect(() => { document.body.dataset.ready = recording.value ? 'yes' : ''; });
	if (document.readyState === 'loading')
		addEventListener('DOMContentLoaded', () => void open());
	else
		void open();
}
