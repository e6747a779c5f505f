// SPDX-License-Identifier: MIT

package import OppiSystem

/// Where the system looks for the files of one user, or of all.
package struct SetupPlace: Sendable, Equatable {
  /// What the record of the place is called; `nil` for a staging folder, which is not remembered.
  package let recordName: String?
  /// What stands before each path but is no part of where the file will be: `DESTDIR`.
  package let stage: String
  /// The folder of `man`, `applications` and the completions.
  package let data: String
  package let fishCompletions: String
  package let units: String
  /// Whom folders that have to be made are for.
  package let folders: Readers

  /// The folders of this user.
  package static func user(_ paths: XDGPaths) -> SetupPlace {
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
  package static func prefix(_ prefix: String, stage: String) -> SetupPlace {
    SetupPlace(
      recordName: stage.isEmpty ? (prefix.isEmpty ? "/" : prefix) : nil,
      stage: stage,
      data: "\(stage)\(prefix)/share",
      fishCompletions: "\(stage)\(prefix)/share/fish/vendor_completions.d",
      units: "\(stage)\(prefix)/lib/systemd/user",
      folders: .everyone
    )
  }

  package var zshFunctions: String { "\(data)/zsh/site-functions" }
  package var applications: String { "\(data)/applications" }

  /// The folders that zsh looks into by itself.
  package static let zshDefaults = [
    "/usr/local/share/zsh/site-functions", "/usr/share/zsh/site-functions",
  ]
}
