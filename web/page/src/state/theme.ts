// Light or dark, as the system says or as it was chosen: remembered, but no part of links.
import { computed, effect, signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';

function remembered(): Theme {
	try {
		return (localStorage.getItem('wick-theme') as Theme | null) ?? 'auto';
	} catch {
		return 'auto'; // a page from a file may have no storage
	}
}

export const theme = signal<Theme>(remembered());
const system = matchMedia('(prefers-color-scheme: dark)');
const systemDark = signal(system.matches);
system.addEventListener('change', event => { systemDark.value = event.matches; });

// Paper is light, whatever the screen is.
export const printed = signal(false);
addEventListener('beforeprint', () => { printed.value = true; });
addEventListener('afterprint', () => { printed.value = false; });

export const isDark = computed(() => !printed.value && (theme.value === 'dark' || (theme.value === 'auto' && systemDark.value)));

effect(() => {
	document.documentElement.dataset.theme = isDark.value ? 'dark' : 'light';
	try {
		localStorage.setItem('wick-theme', theme.value);
	} catch { /* see above */ }
});
