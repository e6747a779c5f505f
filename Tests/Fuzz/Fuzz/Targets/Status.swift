// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// What is read of a snapshot can be written and read again, and no bar gets anything but whole lines
/// of text from it.
func fuzzStatus(_ bytes: [UInt8]) {
  guard let json = try? JSONValue(parsingJSON5: bytes), let fleet = FleetStatus(json: json) else {
    return
  }
  precondition(FleetStatus(json: fleet.json) == fleet, "another snapshot when it is read again")
  for now in [fleet.at, Timestamp(milliseconds: 0), Timestamp(milliseconds: .max)] {
    let glance = Glance(ContentState(fleet, at: now), at: now)
    expectSafe([glance.text])
    for presentation in StatusPresentation.allCases {
      expectSafe(glance.lines(presentation).map(\.plain))
      for format in StatusFormat.all {
        guard case .bar(let lines) = format.form else { continue }
        // What parts a tag of polybar is shown as nothing, and is meant.
        let texts = lines(glance, presentation).map { $0.text.filter { $0 != "\u{200B}" } }
        precondition(!texts.isEmpty && texts.allSatisfy { !$0.isEmpty }, "an empty line")
        expectSafe(texts)
      }
    }
  }
}
