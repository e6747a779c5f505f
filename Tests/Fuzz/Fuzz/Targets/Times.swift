// SPDX-License-Identifier: MIT

import CommandTable
import OppiTerminal
import OppiText

/// A duration survives printing and parsing.
func fuzzDurations(_ bytes: [UInt8]) {
  let word = String(decoding: bytes, as: UTF8.self)
  if let number = try? Int(argument: word) {
    precondition((try? Int(argument: number.argumentText ?? "")) == number, "another number")
    _ = RelativeTime.age(seconds: number)
    _ = ElapsedTime.text(.milliseconds(number))
  }
  guard let duration = try? Duration(argument: word) else { return }
  precondition(duration >= .zero && duration <= .seconds(365 * 86_400), "out of bounds")
  let text = duration.argumentText ?? ""
  precondition((try? Duration(argument: text)) == duration, "\(duration) is written as \(text)")
  _ = ElapsedTime.text(duration)
}

/// A parsed time lies in the years 1 to 9999 and prints unchanged; each time of these years
/// survives printing and parsing.
func fuzzTimestamps(_ bytes: [UInt8]) {
  let years = -62_135_596_800...253_402_300_799
  let text = String(decoding: bytes, as: UTF8.self)
  if let time = Timestamp(iso8601: text) {
    precondition(time.iso8601 == text, "written as \(time.iso8601)")
    precondition(years.contains(time.seconds), "out of range: \(text)")
  }
  var ingredients = Ingredients(bytes)
  let seconds = Int(ingredients.integer())
  guard years.contains(seconds) else { return }
  let time = Timestamp(seconds: seconds)
  precondition(time.iso8601.utf8.count == 20, "not written as usual: \(time.iso8601)")
  precondition(Timestamp(iso8601: time.iso8601) == time, "not read back: \(time.iso8601)")
}

/// A date of HTTP is read only in its one form, and the clocks can be compared by any times.
func fuzzDates(_ bytes: [UInt8]) {
  let text = String(decoding: bytes, as: UTF8.self)
  let date = Timestamp(httpDate: text)
  if let date {
    let parts = date.iso8601.split { "-T:Z".contains($0) }
    let words = text.split(separator: " ")
    precondition(words[1] == parts[2] && words[3] == parts[0], "another day: \(date.iso8601)")
    precondition(
      words[4] == parts[3...5].joined(separator: ":"),
      "another time: \(date.iso8601)"
    )
  }
  var ingredients = Ingredients(bytes)
  let times = (0..<3).map { _ in Timestamp(milliseconds: Int(ingredients.integer())) }
  let offset = ClockOffset.estimate(date: date ?? times[0], sentAt: times[1], receivedAt: times[2])
  // A reading that the answer's own duration explains is no difference.
  let (sent, received) = (min(times[1], times[2]), max(times[1], times[2]))
  let seconds = times[0].milliseconds / 1000 * 1000
  if seconds >= sent.milliseconds, seconds <= received.milliseconds {
    let same = ClockOffset.estimate(
      date: Timestamp(milliseconds: seconds),
      sentAt: sent,
      receivedAt: received
    )
    precondition(same == .zero, "a difference within one answer: \(same)")
  }
  _ = times[1].moved(by: offset)
  _ = times[1].moved(
    by: ClockOffset.estimate(
      serverTime: Int(ingredients.integer()),
      sentAt: times[1],
      receivedAt: times[2]
    )
  )
}
