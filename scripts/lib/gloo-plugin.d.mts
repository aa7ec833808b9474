export const GLOO_PLUGIN: string;
export const GLOO_NEEDED: string;
export function glooThere(environment?: Readonly<Record<string, string | undefined>>): boolean;
export function glooPluginThere(): boolean;
export function buildGlooPlugin(environment?: Readonly<Record<string, string | undefined>>): string | null;
