/**
 * `$toMillis` and `$fromMillis`: dates of ISO 8601 as milliseconds since 1970, in UTC.
 *
 * The calendar is counted out here: what a date library takes, and which years it knows,
 * differs from language to language.
 */

import { failed } from "../values/budget.js";
import { double, type Numeric, numberToText } from "../values/doubles.js";

const DATE =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:Z|([+-])([0-9]{2}):([0-9]{2})))?$/;
const SHOWN = 40;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const EARLIEST = -62_167_219_200_000;
const LATEST = 253_402_300_799_999;

const DAYS_OF_MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const DAYS_OF_AN_ERA = 146_097;
const YEARS_OF_AN_ERA = 400;
// From the first of March of the year 0, from which the years of an era are counted.
const DAYS_TO_1970 = 719_468;

/**
 * The milliseconds from 1970 to a date.
 *
 * @param text - `YYYY-MM-DD`, which is midnight in UTC, or
 *   `YYYY-MM-DDThh:mm:ss[.f](Z|±hh:mm)`, of which it cuts what is below a millisecond.
 * @throws EvaluationError if it has another form, or there is no such date.
 */
export function toMillis(text: string): number {
  const match = DATE.exec(text);
  if (match === null) throw bad(text, "which is no date that it takes");
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) {
    throw bad(text, "and the calendar has no such day");
  }
  const midnight = days(year, month, day) * DAY;
  if (match[4] === undefined) return midnight;
  const [hour, minute, second] = [Number(match[4]), Number(match[5]), Number(match[6])];
  const [hours, minutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (Math.max(hour, hours) > 23 || Math.max(minute, second, minutes) > 59) {
    throw bad(text, "and the clock has no such time");
  }
  const milli = Number((match[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const millis = midnight + hour * HOUR + minute * MINUTE + second * SECOND + milli;
  const offset = hours * HOUR + minutes * MINUTE;
  return match[8] === "-" ? millis + offset : millis - offset;
}

/**
 * The date that lies so many milliseconds after 1970: `2024-02-29T12:34:56.789Z`.
 *
 * @param millis - Of which it cuts what is below a millisecond, towards 1970.
 * @throws EvaluationError if the date lies before the year 0 or after the year 9999.
 */
export function fromMillis(millis: Numeric): string {
  const whole = Math.trunc(double(millis));
  if (whole < EARLIEST || whole > LATEST) {
    throw failed(
      `$fromMillis is given ${numberToText(millis)}, which is no date of the years ` +
        "0000 to 9999",
      "give it milliseconds since 1970; multiply seconds by 1000",
    );
  }
  const day = Math.floor(whole / DAY);
  const rest = whole - day * DAY;
  const [year, month, dayOfMonth] = date(day);
  const hour = padded(Math.floor(rest / HOUR), 2);
  const minute = padded(Math.floor((rest % HOUR) / MINUTE), 2);
  const second = padded(Math.floor((rest % MINUTE) / SECOND), 2);
  const ofYear = `${padded(year, 4)}-${padded(month, 2)}-${padded(dayOfMonth, 2)}`;
  return `${ofYear}T${hour}:${minute}:${second}.${padded(rest % SECOND, 3)}Z`;
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, "0");
}

function bad(text: string, why: string): Error {
  const letters = Array.from(text.slice(0, 2 * SHOWN + 2));
  const shown = letters.length > SHOWN ? `${letters.slice(0, SHOWN).join("")}...` : text;
  return failed(
    `$toMillis is given "${shown}", ${why}`,
    "write 2024-02-29, or 2024-02-29T12:34:56Z with Z or an offset such as +01:00",
  );
}

function daysOf(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (DAYS_OF_MONTHS[month - 1] ?? 0);
}

/** The days from 1970 to a date, with years from March, so that a leap day ends them. */
function days(year: number, month: number, day: number): number {
  const fromMarch = month <= 2 ? year - 1 : year;
  const era = Math.floor(fromMarch / YEARS_OF_AN_ERA);
  const yearOfEra = fromMarch - era * YEARS_OF_AN_ERA;
  const dayOfYear = whole(153 * ((month + 9) % 12) + 2, 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + whole(yearOfEra, 4) - whole(yearOfEra, 100) + dayOfYear;
  return era * DAYS_OF_AN_ERA + dayOfEra - DAYS_TO_1970;
}

/** The date that lies so many days after 1970. */
function date(days: number): readonly [year: number, month: number, day: number] {
  const shifted = days + DAYS_TO_1970;
  const era = Math.floor(shifted / DAYS_OF_AN_ERA);
  const dayOfEra = shifted - era * DAYS_OF_AN_ERA;
  const leaps = whole(dayOfEra, 1460) - whole(dayOfEra, 36_524) + whole(dayOfEra, 146_096);
  const yearOfEra = whole(dayOfEra - leaps, 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + whole(yearOfEra, 4) - whole(yearOfEra, 100));
  const fromMarch = whole(5 * dayOfYear + 2, 153);
  const day = dayOfYear - whole(153 * fromMarch + 2, 5) + 1;
  const month = ((fromMarch + 2) % 12) + 1;
  return [era * YEARS_OF_AN_ERA + yearOfEra + (month <= 2 ? 1 : 0), month, day];
}

function whole(dividend: number, divisor: number): number {
  return Math.floor(dividend / divisor);
}
