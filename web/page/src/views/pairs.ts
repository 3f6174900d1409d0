// Pairs of 32-bit numbers to numbers: a hash table whose slots are three numbers in a row.
export class PairMap {
	private slots: Uint32Array; // first, second, one more than the value; 0 there: free
	private mask: number;
	private at = 0; // of the last search
	size = 0;

	constructor(expected: number) {
		let count = 1024;
		while (3 * count < 4 * expected)
			count *= 2;
		this.mask = count - 1;
		this.slots = new Uint32Array(3 * count);
	}

	// -1 if there is none.
	get(a: number, b: number): number {
		const { slots, mask } = this;
		let hash = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b);
		hash = Math.imul(hash ^ hash >>> 15, 0xc2b2ae35) >>> 3 & mask;
		let at = 3 * hash;
		while (slots[at + 2] && (slots[at] !== a || slots[at + 1] !== b)) {
			hash = hash + 1 & mask;
			at = 3 * hash;
		}
		this.at = at;
		return slots[at + 2] - 1;
	}

	// Of the pair that `get` did not find just before.
	add(a: number, b: number, value: number): void {
		const { slots, at } = this;
		slots[at] = a;
		slots[at + 1] = b;
		slots[at + 2] = value + 1;
		if (4 * ++this.size > 3 * this.mask)
			this.grow();
	}

	private grow(): void {
		const { slots } = this;
		this.mask = 2 * this.mask + 1;
		this.slots = new Uint32Array(3 * (this.mask + 1));
		for (let i = 0; i < slots.length; i += 3)
			if (slots[i + 2]) {
				this.get(slots[i], slots[i + 1]);
				this.slots.set(slots.subarray(i, i + 3), this.at);
			}
	}
}
