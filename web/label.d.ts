export function fitName(name: string, room: number): string;
