// Asks for a pattern of functions and a label for them.
import { useMemo, useState } from 'preact/hooks';
import * as words from '../../words/rules';
import { addRule, functionOfNode } from '../../state/rules';
import { subject } from '../../state/state';
import { crateRule, literal, patternOf } from '../../views/match';

export function RuleForm({ kind, onDone }: { kind: 'group' | 'annotate'; onDone(): void }) {
	const first = useMemo(() => {
		const name = functionOfNode();
		return !name ? { label: '', pattern: '' } : kind === 'group' ? crateRule(name) : { label: '', pattern: `^${literal(name)}$` };
	}, []);
	const [pattern, setPattern] = useState(first.pattern), [label, setLabel] = useState(first.label);
	const { names } = subject.value!.names;
	const [count, problem] = useMemo(() => {
		const found = patternOf(pattern);
		const matches = found && pattern ? names.reduce((sum, name) => sum + +found.test(name), 0) : 0;
		return [matches, !found ? words.wrong : found.isSlow ? words.slow : ''];
	}, [pattern]);
	const isReady = pattern !== '' && label.trim() !== '' && !problem;
	return <form onSubmit={event => {
		event.preventDefault();
		if (isReady) {
			onDone();
			addRule(kind, label, pattern);
		}
	}}>
		<label>{words.pattern}<input type="text" value={pattern} autofocus spellcheck={false} aria-invalid={problem !== ''}
			aria-describedby="rule-matches" onInput={event => setPattern(event.currentTarget.value)} /></label>
		<label>{words.label}<input type="text" value={label} onInput={event => setLabel(event.currentTarget.value)} /></label>
		<p id="rule-matches" role="status">{problem || words.matches(count)}</p>
		<button disabled={!isReady}>{words.apply}</button>
	</form>;
}
