// SPDX-License-Identifier: MIT

import OppiSystem

/// The folders in which the system looks for the files of one user or of all users.
struct SetupPlace: Sendable, Equatable {
  /// The name of the installation record; `nil` for a staging folder, which has no record.
  let recordName: String?
  /// `DESTDIR`: precedes each path when files are written, but is not part of the installed path.
  let stage: String
  /// The folder of `man`, `applications` and the completions.
  let data: String
  let fishCompletions: String
  let units: String
  /// The users that can read new folders.
  let folders: Readers

  /// Returns the folders of this user.
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

  /// Returns the folders below a prefix such as `/usr/local`; `stage` is empty or a staging folder.
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

  /// The folders that zsh searches by default; the last one is Debian's.
  static let zshDefaults = [
    "/usr/local/share/zsh/site-functions", "/usr/share/zsh/site-functions",
    "/usr/share/zsh/vendor-completions",
  ]
}
