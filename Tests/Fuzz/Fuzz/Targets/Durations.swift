// SPDX-License-Identifier: MIT

import CommandTable
import OppiTerminal

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
