// SPDX-License-Identifier: MIT

import Oppi
import OppiModel
import OppiTerminal

/// A snapshot survives printing and parsing, and bars get only whole, safe lines.
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
        // The zero-width space that splits a polybar tag is intended.
        let texts = lines(glance, presentation).map { $0.text.filter { $0 != "\u{200B}" } }
        precondition(!texts.isEmpty && texts.allSatisfy { !$0.isEmpty }, "an empty line")
        expectSafe(texts)
      }
    }
  }
}
