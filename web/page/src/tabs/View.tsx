import { state } from '../state/state';
import { Events } from './Events';
import { ProcessTree } from './ProcessTree';
import { Processes } from './Processes';
import { Quality } from './Quality';
import { Shown } from './ShownTables';
import { Stacks } from './Stacks';
import { Compare } from './Compare';

export function View() {
	switch (state.value.tab) {
	case 'system': return <Shown name="system" label="System" />;
	case 'processes': return <Processes />;
	case 'tree': return <ProcessTree />;
	case 'events': return <Events />;
	case 'compare': return <Compare />;
	case 'quality': return <Quality />;
	default: return <Stacks key={state.value.tab} />;
	}
}
