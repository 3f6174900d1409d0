export function grouped(n: number): string;
export function share(part: number, whole: number): string;
export function bytes(n: number): string;
export function amountOfTime(ns: number): string;
