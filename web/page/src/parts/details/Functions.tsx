// A list of functions with a number each; a click leads to one.
export interface Item { id: number; name: string; short: string; text: string }

export const Functions = ({ of, onChoose }: { of: Item[]; onChoose(id: number): void }) =>
	<ol>{of.map(({ id, name, short, text }) => <li key={id}><button title={name} onClick={() => onChoose(id)}>
		<span>{short}</span><span>{text}</span>
	</button></li>)}</ol>;
