// The header of the tree table: groupings left of the gold bar, values right of it.

import { useRef, useState } from 'preact/hooks';
import * as say from '../../words/grid';
import { openMenu } from '../shell/Menu';
import { ariaSort, sortArrow, take, walkButtons } from '../table/rows';
import type { GridColumn, Sort } from './rows';

export interface Grouping { key: string; title: string }

interface Props {
	groups: Grouping[];
	available: Grouping[];
	columns: GridColumn[];
	sort: Sort;
	onGroups(keys: string[]): void;
	hidden: GridColumn[];
	onSort(sort: Sort): void;
	onToggle(key: string): void;
}

interface Drag { key: string; x: number; place: number } // place: -1 not moved yet

export function Header({ groups, available, columns, sort, hidden, onGroups, onSort, onToggle }: Props) {
	const row = useRef<HTMLDivElement>(null);
	const bar = useRef<HTMLSpanElement>(null);
	const [drag, setDrag] = useState<Drag | null>(null);
	const keys = groups.map(group => group.key);
	const stack = keys.length - 1; // always last
	const canGroup = (key: string) => available.some(one => one.key === key);

	// The key at that place before the stack; beyond the stack it groups nothing.
	const put = (key: string, place: number) => {
		const others = keys.filter(other => other !== key);
		if (place < others.length)
			others.splice(place, 0, key);
		if (others.join() === keys.join())
			return;
		onGroups(others);
		// Its button is another one now, or there is none.
		setTimeout(() => {
			const moved = row.current?.querySelector<HTMLElement>(`[data-key="${key}"]`);
			(moved ?? row.current?.querySelector('button'))?.focus();
		});
	};
	const placeAt = (x: number) => {
		if (x > bar.current!.getBoundingClientRect().right)
			return keys.length;
		const centres = [...row.current!.querySelectorAll('.grid-group')].slice(0, stack).map(element => {
			const box = element.getBoundingClientRect();
			return (box.left + box.right) / 2;
		});
		return centres.filter(centre => centre < x).length;
	};
	const sortBy = (key: string) =>
		onSort({ key, descending: sort.key === key ? !sort.descending : key !== 'name' });
	const menuOf = ({ key, title }: Pick<GridColumn, 'key' | 'title'>, element: Element, x?: number, y?: number) => {
		const { left, bottom } = element.getBoundingClientRect();
		openMenu(x || left, y || bottom, say.columnMenu(title), [
			{ title: say.descending, run: () => onSort({ key, descending: true }) },
			{ title: say.ascending, run: () => onSort({ key, descending: false }) },
			...columns.length < 2 ? [] : [{ title: say.hide(title), run: () => onToggle(key) }],
			...hidden.map(one => ({ title: say.show(one.title), run: () => onToggle(one.key) })),
		]);
	};
	const signOf = (key: string) => sort.key !== key ? 0 : sort.descending ? -1 : 1;

	// A button that sorts by a click, and can be dragged over the bar if its key is a grouping.
	const button = (key: string, title: string, help: string, place: number, sortKey: string) => {
		const isMovable = place >= 0 ? place < stack : canGroup(key);
		return (
			<button class={'grid-head' + (drag?.key === key && drag.place >= 0 ? ' grid-dragged' : '')}
				tabIndex={place === 0 ? 0 : -1} title={help} data-key={key}
				onClick={() => drag?.place !== undefined && drag.place >= 0 || sortBy(sortKey)}
				onPointerDown={event => {
					if (!isMovable || event.button)
						return;
					event.currentTarget.setPointerCapture(event.pointerId);
					setDrag({ key, x: event.clientX, place: -1 });
				}}
				onPointerMove={event => {
					if (drag && (drag.place >= 0 || Math.abs(event.clientX - drag.x) > 4))
						setDrag({ ...drag, place: placeAt(event.clientX) });
				}}
				onPointerUp={() => {
					if (drag && drag.place >= 0)
						put(key, drag.place - (place >= 0 && drag.place > place && drag.place < keys.length ? 1 : 0));
					// After the click that follows.
					setTimeout(() => setDrag(null));
				}}
				onKeyDown={event => {
					const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
					if (isMovable && event.altKey && step)
						put(key, place < 0 ? (step < 0 ? stack : keys.length)
							: place + step >= stack ? keys.length : Math.max(0, place + step));
					else if (isMovable && place >= 0 && event.key === 'Delete')
						put(key, keys.length);
					else
						return;
					take(event);
				}}>{title}<span aria-hidden="true">{sortArrow(signOf(sortKey))}</span></button>
		);
	};
	return (
		<div class="grid-row grid-header" role="row" aria-rowindex={1} ref={row} onKeyDown={walkButtons}>
			<div class="grid-groups" role="columnheader" aria-sort={ariaSort(signOf('name'))}>
				{groups.map((group, i) => (
					<span class={'grid-group' + (drag?.place === i ? ' grid-drop' : '')} key={group.key}>
						{button(group.key, group.title, i < stack ? say.group(group.title) : say.stack(group.title),
							i, 'name')}
						{i < stack && (
							<button class="grid-icon" tabIndex={-1} aria-label={say.remove(group.title)}
								onClick={() => put(group.key, keys.length)}>×</button>
						)}
					</span>
				))}
				<button class="grid-icon" tabIndex={-1} aria-label={say.add} title={say.add} aria-haspopup="menu"
					onClick={event => {
						const { left, bottom } = event.currentTarget.getBoundingClientRect();
						openMenu(left, bottom, say.add, available.map(({ key, title }) =>
							({ title, run: () => put(key, stack) })));
					}}>+</button>
			</div>
			<span class="grid-gold" role="presentation" ref={bar} />
			{columns.map(column => (
				<div class="grid-value" role="columnheader" aria-sort={ariaSort(signOf(column.key))} key={column.key}
					onContextMenu={event => {
						event.preventDefault();
						menuOf(column, event.currentTarget, event.clientX, event.clientY);
					}}>
					{button(column.key, column.title, say.value(column.title, canGroup(column.key)), -1, column.key)}
					<button class="grid-icon" tabIndex={-1} aria-label={say.columnMenu(column.title)} aria-haspopup="menu"
						onClick={event => menuOf(column, event.currentTarget)}>{'\u2261'}</button>
				</div>
			))}
		</div>
	);
}
