// A tab without data: why, and the command that records it.
import { shown } from '../words/format';
import * as words from '../words/shell';
import { recording } from '../state/state';
import { copy } from '../parts/copy';

export function Lacks({ of }: { of: string }) {
	const sentence = recording.value!.head.lacks[of] ?? '';
	const commands = [...sentence.matchAll(/`([^`]+)`/g)].map(found => found[1]);
	return <div class="shell-message">
		<h2>{words.notRecorded}</h2>
		<p>{sentence.split('`').map((part, i) => i % 2 ? <code>{shown(part)}</code> : shown(part))}</p>
		{commands.map(command => <p key={command}><button onClick={() => copy(command)}>
			{commands.length > 1 ? words.copyOf(command) : words.copyCommand}</button></p>)}
	</div>;
}
