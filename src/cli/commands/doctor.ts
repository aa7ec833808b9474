/** `pi-bench doctor`: what pi-bench found, what it could not load and why, what would make measurements better here. */

import { basename, dirname } from 'node:path';
import type { CommandModule } from 'yargs';
import { EXIT, messageOf } from '../../errors.js';
import { advise, sortAdvice } from '../../machine/advice.js';
import type { Advice } from '../../machine/advice-check.js';
import { readAllowedCores } from '../../machine/allowed-cores.js';
import { listLocalFolder, readLocalFile } from '../../machine/local-files.js';
import type { MachineDescription } from '../../machine/types.js';
import { addonPath, native } from '../../native.js';
import { identity } from '../../package.js';
import { withPrefix } from '../../quantities/format.js';
import { type Style, terminalStyle } from '../../readers/terminal/style.js';
import { type Row, renderRows } from '../../readers/terminal/table.js';
import { choiceAdvice, poorChoice } from '../../stacks/choice.js';
import { findStack, stacks, stackText } from '../../stacks/index.js';
import { type Survey, survey } from '../../stacks/survey.js';
import { snapshotPaths, THREAD_ID } from '../../telemetry/paths.js';
import { computeTelemetry } from '../../telemetry/telemetry.js';
import type { Snapshot, Telemetry } from '../../telemetry/types.js';
import { type Finding, gpuFindings } from '../gpu-findings.js';
import { coresHere, describeHere, onlineCpus } from '../here.js';
import { say } from '../say.js';
import { selfTest } from '../self-test.js';
import { transportsHere } from '../transports.js';

const ADDON = 'addon';

function addonFindings({ here }: Survey): Finding[] {
  const installed: Finding = {
    name: 'pi-bench',
    ok: true,
    text: `${identity().version}, commit ${identity().commit ?? 'not known'}, Node ${process.version}`,
  };
  try {
    const { overheadSeconds, resolutionSeconds } = native().measureClock();
    return [
      installed,
      { name: ADDON, ok: true, text: addonPath() },
      {
        name: 'clock',
        ok: overheadSeconds < 1e-6,
        text: `reading it takes ${withPrefix(overheadSeconds, 's', 3)}, resolution ${withPrefix(resolutionSeconds, 's', 3)}`,
      },
      ...stackFindings(here),
    ];
  } catch (error) {
    return [
      installed,
      {
        name: ADDON,
        ok: false,
        text: `${addonPath()} could not be loaded: ${messageOf(error).split('\n', 1)[0]}`,
      },
    ];
  }
}

/** A library that is missing is no fault; one that is there and does not load is. */
function stackFindings(here: Survey['here']): Finding[] {
  return here.map(({ stack, identity, variants, problem }) => {
    // Of several builds, the folder says which it is.
    const { library, framework, variants: variantsOf } = findStack(identity.provider);
    const name =
      library === null || identity.variant === null
        ? stack
        : `${identity.provider} (${basename(dirname(identity.variant))})`;
    if (problem !== null) return { name, ok: false, text: problem };
    const elsewhere = framework === null ? variantsOf().elsewhere : [];
    const not = elsewhere.length > 0 ? `; not on this CPU: ${elsewhere.join(', ')}` : '';
    const chose = identity.chose == null ? [] : [`chose ${identity.chose}`];
    const said = [identity.version?.trim() ?? 'says no version', ...chose].join(', ');
    return { name, ok: true, text: identity.path == null ? `${variants.join(', ')}${not}` : said };
  });
}

/** How ranks can exchange data: what is missing is no fault, and says what would bring it. */
function transportFindings(): Finding[] {
  return transportsHere().map(({ name, found, needed }) => ({
    name: `transport ${name}`,
    ok: found === null ? null : true,
    text: found ?? `none: ${needed}`,
  }));
}

/** Without the addon there is nothing to ask libraries with; that finding stands for itself. */
async function surveyHere(): Promise<Survey> {
  try {
    return await survey();
  } catch {
    return { here: [], missing: [] };
  }
}

function choicesAdvice(here: Survey['here'], { cpu }: MachineDescription): Advice[] {
  return here.flatMap(({ identity: { provider, path, chose } }) => {
    const { library } = findStack(provider);
    if (library === null || path == null) return [];
    const { features } = cpu;
    const poor = poorChoice(library, { chose: chose ?? null, features, environment: process.env });
    return poor === null ? [] : [choiceAdvice(library, path, poor)];
  });
}

/** Frameworks are optional: who wants to measure one finds here what to type. */
function frameworksAdvice(): Advice[] {
  return stacks.flatMap(({ provider, framework }): readonly Advice[] => {
    if (framework === null) return [];
    const missing = framework.missing();
    if (missing.length === 0) return [];
    const names = missing.map(({ variant }) => stackText({ provider, variant }));
    return [
      {
        topic: `${provider}-packages`,
        level: 'note',
        seen: `${names.join(', ')} cannot be measured: something of ${framework.summary} is missing`,
        why: 'frameworks are optional: pi-bench loads those of your project, from the folder that it is started in, or beside itself',
        action: missing.map(({ needed }, i) => `${names[i]}: ${needed}`).join('; '),
      },
    ];
  });
}

/** Without the addon nobody has looked; that finding stands for itself. */
function lacksFrequency(): boolean {
  try {
    return native().effectiveFrequency() === 0;
  } catch {
    return false;
  }
}

/** What a snapshot of this very process shows, and what it lacks. */
function telemetryHere(machine: MachineDescription): Telemetry {
  const { allowed } = coresHere();
  const tid = String(process.pid);
  const snapshot = (): Snapshot => ({
    at: Number(process.hrtime.bigint()) * 1e-9,
    files: Object.fromEntries(
      snapshotPaths(readLocalFile, listLocalFolder, allowed).map((path) => [
        path.replace(THREAD_ID, tid),
        readLocalFile(path.replace(THREAD_ID, tid)),
      ]),
    ),
  });
  return computeTelemetry({
    before: snapshot(),
    after: snapshot(),
    threadIds: [process.pid],
    frequency: lacksFrequency() ? null : { before: 1, after: 1 },
    allowedCpus: allowed.length,
    onlineCpus: onlineCpus(machine),
    clockTicks: 100,
  });
}

function markOf(ok: Finding['ok'], style: Style): string {
  if (ok === null) return style.dim('– ');
  return ok ? style.good('ok') : style.bad('no');
}

const rows = (findings: readonly Finding[], style: Style): Row[] =>
  findings.map(({ name, ok, text }) => [name, `${markOf(ok, style)}  ${text}`]);

async function doctor(json: boolean, selfTests: boolean): Promise<void> {
  const style = terminalStyle(process.stdout);
  const machine = describeHere(true);
  const surveyed = await surveyHere();
  const findings = [...addonFindings(surveyed), ...transportFindings(), ...gpuFindings(machine)];
  const { missing } = telemetryHere(machine);
  const advice = sortAdvice([
    ...advise(machine, readAllowedCores(readLocalFile)),
    ...choicesAdvice(surveyed.here, machine),
    ...frameworksAdvice(),
  ]);
  const sound = findings.every(({ ok }) => ok !== false);
  if (json) {
    process.stdout.write(`${JSON.stringify({ findings, missing, advice }, null, 1)}\n`);
  } else {
    const print = (text: string): void => void process.stdout.write(`${text}\n`);
    print(`${style.bold('What pi-bench found')}\n\n${renderRows(rows(findings, style), style)}\n`);
    print(style.bold('What this machine does not tell'));
    print(
      `\n${
        missing.length === 0
          ? '  nothing is missing'
          : renderRows(
              missing.map(({ what, why }) => [what, why]),
              style,
            )
      }\n`,
    );
    print(style.bold('What would make measurements better here'));
    for (const { topic, level, seen, why, action } of advice) {
      const mark = level === 'important' ? style.warn(level) : style.dim(level);
      print(
        `\n  ${style.bold(topic)} (${mark})\n${renderRows(
          [
            ['seen', seen],
            ['why', why],
            ['do', action],
          ],
          style,
        )}`,
      );
    }
    if (advice.length === 0) print('\n  nothing that pi-bench could see');
  }
  process.exitCode = sound ? EXIT.done : EXIT.answerIsNo;
  if (!selfTests) return;
  if (findings.some(({ name, ok }) => name === ADDON && !ok)) return say('no self-test: it needs the addon');

  const out = json ? process.stderr : process.stdout;
  out.write(`\n${style.bold('Self-test: faults on purpose, each must be caught')}\n\n`);
  const code = await selfTest(machine, ({ what, caught, saw }) =>
    out.write(
      `  ${caught ? style.good('caught') : style.bad('MISSED')}  ${what}\n          ${style.dim(saw)}\n`,
    ),
  );
  if (code !== EXIT.done) process.exitCode = code;
}

export const doctorCommand: CommandModule = {
  command: 'doctor',
  describe: 'What pi-bench found here, what is missing and why, what would make measurements better',
  builder: (yargs) =>
    yargs
      .option('self-test', {
        type: 'boolean',
        describe:
          'Inject a wrong element, calls that do nothing, a slow repetition, a stall, a crash, and the same of ranks: each must be caught',
      })
      .option('json', { type: 'boolean', describe: 'As JSON' })
      .example([
        ['$0 doctor', 'look before you measure'],
        ['$0 doctor --self-test', 'show that each of these faults is caught (about ten seconds)'],
      ]),
  handler: ({ json, selfTest: selfTests }) => doctor(json === true, selfTests === true),
};
