/** Who computed a node, by the profile that ONNX Runtime itself writes of a session's runs. Pure. */
/** As much of an event as is read: those of nodes name operator and execution provider. */
interface Event {
  readonly cat?: unknown;
  readonly args?: { readonly op_name?: unknown; readonly provider?: unknown } | null;
}

function eventsOf(profile: string): readonly Event[] {
  try {
    const events: unknown = JSON.parse(profile);
    if (Array.isArray(events)) return events as readonly Event[];
  } catch {
    // Said below.
  }
  throw new Error('the profile of ONNX Runtime is no list of events, so who computed is not known');
}

/** Providers that executed nodes of an operator, each once. @throws Error for a text that is no profile */
function providersOf(profile: string, operator: string): readonly string[] {
  const ofNodes = eventsOf(profile).filter(({ cat, args }) => cat === 'Node' && args?.op_name === operator);
  return [...new Set(ofNodes.map(({ args }) => String(args?.provider)))];
}

/**
 * Why a run was not that of the provider; null: it computed every node of the operator, and there was one.
 * @param provider `CUDAExecutionProvider`
 * @throws Error for a text that is no profile
 */
export function otherProvider(profile: string, operator: string, provider: string): string | null {
  const providers = providersOf(profile, operator);
  if (providers.length === 0)
    return `ONNX Runtime executed no ${operator}: what a run would take is not the time of a product`;
  const others = providers.filter((one) => one !== provider);
  return others.length === 0
    ? null
    : `${provider} was asked, and ${others.join(', ')} has computed the ${operator}`;
}
