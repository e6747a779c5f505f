// SPDX-License-Identifier: MIT

import OppiSystem

/// Where the system looks for the files of one user, or of all.
struct SetupPlace: Sendable, Equatable {
  /// What the record of the place is called; `nil` for a staging folder, which is not remembered.
  let recordName: String?
  /// What stands before each path but is no part of where the file will be: `DESTDIR`.
  let stage: String
  /// The folder of `man`, `applications` and the completions.
  let data: String
  let fishCompletions: String
  let units: String
  /// Whom folders that have to be made are for.
  let folders: Readers

  /// The folders of this user.
  static func user(_ paths: XDGPaths) -> SetupPlace {
    SetupPlace(
      recordName: "user",
      stage: "",
      data: paths.dataHome,
      fishCompletions: "\(paths.configHome)/fish/completions",
      units: "\(paths.configHome)/systemd/user",
      folders: .owner
    )
  }

  /// The folders below a prefix such as `/usr/local`, in a staging folder where that is not empty.
  static func prefix(_ prefix: String, stage: String) -> SetupPlace {
    SetupPlace(
      recordName: stage.isEmpty ? (prefix.isEmpty ? "/" : prefix) : nil,
      stage: stage,
      data: "\(stage)\(prefix)/share",
      fishCompletions: "\(stage)\(prefix)/share/fish/vendor_completions.d",
      units: "\(stage)\(prefix)/lib/systemd/user",
      folders: .everyone
    )
  }

  var zshFunctions: String { "\(data)/zsh/site-functions" }
  var applications: String { "\(data)/applications" }

  /// The folders that zsh looks into by itself.
  static let zshDefaults = ["/usr/local/share/zsh/site-functions", "/usr/share/zsh/site-functions"]
}
