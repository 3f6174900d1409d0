// The help and the list of commands: both are lists of all actions that can be searched.
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import * as words from '../../words/shell';
import { ACTIONS, actionOf, canDo, dialog, functionName, openDialog, singleKeys, type Dialog } from '../../state/actions';
import { panel } from '../../state/state';
import { Code, Sql } from '../../served/Served';
import { Share } from './Share';
import { RuleForm } from './RuleForm';
import { served } from '../../served/server';

const close = openDialog('');
const OWN = 'own'; // closed by the page: the browser says so when the next dialog may be open already

// The dialogs that are not lists of actions.
const BODIES: Partial<Record<Dialog, () => JSX.Element>> = {
	share: () => <Share />,
	group: () => <RuleForm kind="group" onDone={close} />,
	annotate: () => <RuleForm kind="annotate" onDone={close} />,
	sql: () => <Sql />,
	code: () => <Code name={functionName()} by={panel.value.event} />,
};

export function Dialogs() {
	const box = useRef<HTMLDialogElement>(null);
	const [text, setText] = useState('');
	const [at, setAt] = useState(0);
	const which = dialog.value;
	useLayoutEffect(() => { // before the next key
		setText('');
		setAt(0);
		const own = box.current!;
		if (which) {
			own.returnValue = '';
			own.showModal();
		} else {
			own.close(OWN);
		}
	}, [which]);

	const isHelp = which === 'help', body = which && BODIES[which];
	const list = ACTIONS.filter(action => (isHelp ? action.keys.length > 0 && (served.value || !['code', 'sql'].includes(action.key)) : canDo(action))
		&& (action.title + ' ' + action.keys.join(' ')).toLowerCase().includes(text.toLowerCase()));
	const title = body ? actionOf(which).title : isHelp ? words.help : words.commands;
	const run = (i: number) => {
		const action = list[i];
		close();
		if (action && canDo(action))
			action.run();
	};
	const move = (event: KeyboardEvent) => {
		if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
			setAt((at + (event.key === 'ArrowDown' ? 1 : list.length - 1)) % Math.max(list.length, 1));
			event.preventDefault();
		} else if (event.key === 'Enter') {
			run(at);
			event.preventDefault();
		}
	};
	useEffect(() => {
		box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
	}, [at]);
	return <dialog ref={box} class={'shell-dialog' + (which === 'sql' || which === 'code' ? ' shell-wide' : '')} aria-label={title} onClose={() => box.current!.open || box.current!.returnValue || close()}
		onClick={event => event.target === box.current && close()}>
		{which && <>
			<div class="shell-dialog-head">
				<h2>{title}</h2>
				<button onClick={close}>{words.close}</button>
			</div>
			{body ? body() : <>
			<input type="text" role="combobox" aria-expanded="true" aria-controls="command-list" aria-label={words.findCommand}
				aria-activedescendant={list[at] && 'command-' + list[at].key} placeholder={words.findCommand} value={text} autofocus
				onInput={event => { setText(event.currentTarget.value); setAt(0); }} onKeyDown={move} />
			<ul id="command-list" role="listbox" aria-label={words.commands}>
				{list.map((action, i) => <li key={action.key} id={'command-' + action.key} role="option" aria-selected={i === at}
					aria-disabled={!canDo(action)} onClick={() => run(i)}>
					<span>{action.title}</span><span>{action.keys.map(key => <kbd key={key}>{key}</kbd>)}</span>
				</li>)}
			</ul>
			{isHelp && <label class="shell-check">
				<input type="checkbox" checked={singleKeys.value} onChange={event => { singleKeys.value = event.currentTarget.checked; }} />
				{words.singleKeys}
			</label>}
			</>}
		</>}
	</dialog>;
}
