// SPDX-License-Identifier: MIT

import CommandTable
import OppiRendering
import OppiSystem

/// The output for screen readers and Braille displays: complete, labelled lines in their order, and
/// no redrawing.
///
/// The option decides, then the environment, then the setting. Only this type reads them.
enum AccessibleMode: Sendable, Equatable {
  /// With `--accessible`.
  case byOption
  case byVariable
  case bySetting

  static let variable = "ACCESSIBLE"

  /// What the environment says; `nil` if it does not decide.
  static func isEnabled(in environment: [String: String]) -> Bool? {
    let value = environment[variable] ?? ""
    return value.isEmpty ? nil : value != "0"
  }

  /// The sentence that is printed first.
  var announcement: StyledText {
    let end =
      switch self {
      case .byOption: "run the command without --accessible"
      case .byVariable: "unset \(Self.variable), or set it to 0"
      case .bySetting: "run: oppi config set accessible false"
      }
    return StyledText("Accessible mode is on: nothing is redrawn. To leave it, \(end).")
  }
}

extension Context {
  /// The same context in the accessible mode if the settings enable it and nothing else decides.
  ///
  /// - Throws: `OppiError` if the setting is invalid.
  func applying(_ settings: ConfigFile.Settings) throws(OppiError) -> Context {
    let isEnabled = try settings.value(of: .accessible) == Truth.true
    return with(console.applying(isAccessible: isEnabled))
  }

  /// The same context, as ``applying(_:)``; reads the settings only if a terminal could be drawn on.
  func applyingSettings() async throws -> Context {
    guard console.policy.form == .eyes else { return self }
    return try applying(await Config.load(in: self))
  }

  /// Prints how to leave the accessible mode, if it is on and a terminal shows text.
  func announceMode() async {
    guard console.policy.form == .eyes, let mode = console.policy.accessible else { return }
    await console.status(mode.announcement)
  }
}
