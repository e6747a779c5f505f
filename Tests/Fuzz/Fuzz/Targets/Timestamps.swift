// SPDX-License-Identifier: MIT

import OppiModel

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
