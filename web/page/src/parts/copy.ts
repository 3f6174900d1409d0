import { signal } from '@preact/signals';

// The last thing that was done without a visible result, for the live region.
export const announced = signal('');

// A page from a file may have no clipboard of its own: then the old way.
export function copy(text: string): void {
	const done = () => { announced.value = 'copied'; };
	const select = () => {
		const area = document.createElement('textarea');
		area.value = text;
		document.body.append(area);
		area.select();
		document.execCommand('copy');
		area.remove();
		done();
	};
	if (navigator.clipboard)
		navigator.clipboard.writeText(text).then(done, select);
	else
		select();
}

export function save(name: string, blob: Blob): void {
	const link = document.createElement('a');
	link.href = URL.createObjectURL(blob);
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
