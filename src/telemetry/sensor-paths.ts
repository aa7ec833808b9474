/** Which files of thermal zones, hwmon chips, RAPL domains and throttle counters there are. */
import { type FileReader, type FolderLister, readTrimmed } from '../machine/linux/reader.js';

const MOST_INPUTS = 32;
const MOST_PACKAGES = 16;
const MOST_SUBDOMAINS = 8;

/** Devices whose reading is slow (a command to a disk, a bus transfer) and says nothing about the processor. */
const NOT_THE_PROCESSOR = /^(nvme|drivetemp|iwlwifi|mt76|ath\d|mlx|bnxt|ixgbe|i350|r8169|jc42|spd5118)/;

/** The folders of a class whose names are this and a number, by these: each disk and memory module has a chip, so there may be many. */
function numbered(list: FolderLister, folder: string, name: string): readonly string[] {
  return list(folder)
    .filter((one) => one.startsWith(name) && /^\d+$/.test(one.slice(name.length)))
    .toSorted((a, b) => Number(a.slice(name.length)) - Number(b.slice(name.length)))
    .map((one) => `${folder}/${one}`);
}

/** The type of each thermal zone and its temperature. */
export function thermalZonePaths(reader: FileReader, list: FolderLister): readonly string[] {
  return numbered(list, '/sys/class/thermal', 'thermal_zone').flatMap((directory) => {
    const type = readTrimmed(reader, `${directory}/type`);
    if (type === null || NOT_THE_PROCESSOR.test(type) || reader(`${directory}/temp`) === null) return [];
    return [`${directory}/type`, `${directory}/temp`];
  });
}

/**
 * The name of each chip, its temperatures and their labels. Where a chip labels whole packages (`Package id 0`), only
 * those are taken: reading a core's sensor interrupts that core.
 */
export function hwmonPaths(reader: FileReader, list: FolderLister): readonly string[] {
  return numbered(list, '/sys/class/hwmon', 'hwmon').flatMap((directory) => {
    const name = readTrimmed(reader, `${directory}/name`);
    if (name === null || NOT_THE_PROCESSOR.test(name)) return [];
    const labelled = range(MOST_INPUTS).map((i) => ({
      input: `${directory}/temp${i + 1}_input`,
      labelPath: `${directory}/temp${i + 1}_label`,
      label: readTrimmed(reader, `${directory}/temp${i + 1}_label`),
    }));
    const packages = labelled.filter(({ label }) => label?.startsWith('Package id') === true);
    const chosen = (packages.length > 0 ? packages : labelled).filter(({ input }) => reader(input) !== null);
    if (chosen.length === 0) return [];
    const files = chosen.flatMap(({ input, labelPath, label }) =>
      label === null ? [input] : [input, labelPath],
    );
    return [`${directory}/name`, ...files];
  });
}

/**
 * The name, counter and range of each RAPL domain. The counter is often for root only: the name is then listed alone,
 * so that its absence can be explained.
 */
export function raplPaths(reader: FileReader): readonly string[] {
  return range(MOST_PACKAGES).flatMap((number) => {
    const domain = `/sys/class/powercap/intel-rapl:${number}`;
    const subdomains = range(MOST_SUBDOMAINS).map((sub) => `${domain}/intel-rapl:${number}:${sub}`);
    return [domain, ...subdomains].flatMap((directory) =>
      ['name', 'energy_uj', 'max_energy_range_uj']
        .map((file) => `${directory}/${file}`)
        .filter((path) => reader(path) !== null),
    );
  });
}

/** Counters of the times that a core or its package ran into a thermal limit (Intel). */
export function throttlePaths(reader: FileReader, allowedCpus: readonly number[]): readonly string[] {
  return allowedCpus.flatMap((cpu) =>
    ['core_throttle_count', 'package_throttle_count']
      .map((file) => `/sys/devices/system/cpu/cpu${cpu}/thermal_throttle/${file}`)
      .filter((path) => reader(path) !== null),
  );
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i);
}
