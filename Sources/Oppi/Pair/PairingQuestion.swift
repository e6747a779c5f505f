// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The question before an invite is used: what it says, and what it replaces.
struct PairingQuestion {
  let invite: Invite
  /// The server that is already paired with this identity.
  let known: PairedServer?
  let context: Context

  /// Shows the question under a headline.
  ///
  /// - Throws: `OppiError` unless the answer is yes.
  func ask(_ headline: String) async throws {
    let answer = try await context.answer(
      to: [StyledText(headline)] + rows.map(Self.line)
        + [StyledText("Continue only if you have just created this invite yourself.")],
      "Type yes and press Enter to pair; any other input cancels: "
    )
    guard answer == "yes" else { throw OppiError.pairingDeclined(invite.endpoint) }
  }

  private var rows: [(name: String, value: String)] {
    var rows = [
      ("name", invite.name.safeLine(limit: 40)), ("address", invite.endpoint.description),
      ("certificate", Self.certificate(of: invite.place)),
      ("identity", invite.fingerprint?.text ?? "unknown"),
    ]
    guard let known else { return rows }
    rows.append(("paired", "as \(known.name), which this replaces"))
    if known.endpoint != invite.endpoint { rows.append(("old address", "\(known.endpoint)")) }
    if known.certificatePin != invite.certificatePin {
      rows.append(("old certificate", Self.certificate(of: known.place)))
    }
    return rows
  }

  private static func certificate(of place: ServerPlace) -> String {
    if let pin = place.certificatePin { return pin.text }
    return place.endpoint.scheme == .https
      ? "none: verified by the system's certificate authorities" : "none: not encrypted"
  }

  private static func line(_ name: String, _ value: String) -> StyledText {
    let width = "old certificate".count
    var line = StyledText("  \(name)\(String(repeating: " ", count: width - name.count))  ", .dim)
    line.append(value)
    return line
  }
}
