// SPDX-License-Identifier: MIT

/// Why the program cannot be installed.
enum SetupError: Error, Equatable {
  /// `DESTDIR` is a relative path.
  case relativeStage(String)
  /// A systemd unit cannot run a program at this path.
  case unusableProgram(path: String)
}
