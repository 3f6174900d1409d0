// What the page contains that others might not be meant to see, and how to write it without.
import { useEffect, useState } from 'preact/hooks';
import { shown } from '../../words/format';
import * as words from '../../words/share';
import { recording } from '../../state/state';
import { contentsOf, type Contents } from '../../views/contents';
import { served } from '../../served/server';
import { link } from '../../words/actions';
import { copy } from '../copy';

const quoted = (text: string) => /^[\w./-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;

export function Share() {
	const opened = recording.value!, { head } = opened;
	const [list, setList] = useState<Contents[]>([]);
	useEffect(() => {
		void Promise.all([opened.whole?.() ?? opened, opened.table('system'), opened.table('processes')]).then(read => setList(contentsOf(...read)));
	}, [opened]);
	const command = `wick report --redact ${quoted(head.input)} -o page.html`;
	return <div class="tab-text">
		<p><button onClick={() => copy(location.href)}>{link}</button> {served.value ? words.onlyHere : words.withFile}</p>
		{head.redacted && <p>{words.redacted}</p>}
		<ul>
			{list.map(({ key, count, some }) => <li key={key}><span>{words.names[key]}</span>
				<span>{count ? words.list(count, some.map(shown)) : words.none}</span></li>)}
			<li><span>{words.names.environment}</span><span>{words.notRecorded}</span></li>
		</ul>
		{!head.redacted && <p>{words.how} <code>{shown(command)}</code>{' '}
			<button onClick={() => copy(command)}>{words.copy}</button></p>}
		<p>{words.limits}</p>
	</div>;
}
