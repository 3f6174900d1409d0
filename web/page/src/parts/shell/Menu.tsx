// A menu of actions at a place, opened by the right mouse button or the menu key.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import * as words from '../../words/shell';
import { take } from '../table/rows';
import { ACTIONS, canDo } from '../../state/actions';

interface Item { title: string; key?: string; run(): void }

const at = signal<{ x: number; y: number; label: string; items: Item[]; back: Element | null } | null>(null);

const ofNode = (): Item[] => ACTIONS.filter(action => action.isOfNode && canDo(action))
	.map(action => ({ title: action.title, key: action.keys[0], run: action.run }));

export const openMenu = (x: number, y: number, label = words.menuOf, items = ofNode()): void => {
	at.value = { x, y, label, items, back: document.activeElement };
};

function closeMenu(): void {
	(at.value?.back as HTMLElement | null)?.focus?.();
	at.value = null;
}

export function Menu() {
	const box = useRef<HTMLDivElement>(null);
	const place = at.value;
	useEffect(() => {
		const menu = box.current;
		if (!place || !menu)
			return;
		menu.style.left = Math.max(4, Math.min(place.x, innerWidth - menu.offsetWidth - 4)) + 'px';
		menu.style.top = Math.max(4, Math.min(place.y, innerHeight - menu.offsetHeight - 4)) + 'px';
		menu.querySelector<HTMLElement>('button')?.focus();
	}, [place]);
	if (!place)
		return null;

	const move = (event: KeyboardEvent) => {
		const items = [...box.current!.querySelectorAll<HTMLElement>('button')];
		const now = items.indexOf(document.activeElement as HTMLElement);
		const next = { ArrowDown: now + 1, ArrowUp: now - 1 + items.length, Home: 0, End: items.length - 1 }[event.key];
		if (next !== undefined)
			items[next % items.length].focus();
		else if (event.key === 'Escape' || event.key === 'Tab')
			closeMenu();
		else
			return;
		take(event);
	};
	return <>
		<div class="shell-veil" onClick={closeMenu} onContextMenu={event => { event.preventDefault(); closeMenu(); }} />
		<div class="shell-menu" role="menu" aria-label={place.label} ref={box} onKeyDown={move}>
			{place.items.map(({ title, key, run }) =>
				<button role="menuitem" key={title} onClick={() => { closeMenu(); run(); }}><span>{title}</span><kbd>{key}</kbd></button>)}
		</div>
	</>;
}
