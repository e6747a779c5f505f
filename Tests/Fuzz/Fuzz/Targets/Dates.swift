// SPDX-License-Identifier: MIT

import OppiModel

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
