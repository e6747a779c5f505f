// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel

/// Why a file of the user's could not be used.
package enum FileError: Error, Equatable {
  case cannotRead(path: String, SystemError)
  case cannotWrite(path: String, SystemError)
  case cannotCreate(path: String, SystemError)
  /// Others could read what must be secret or change what must be trusted.
  case unsafeMode(path: String, mode: UInt32, needed: String)
  /// It belongs to another user, who could change it at any time.
  case foreign(path: String)
  /// Others could put other files in the place of those in the folder.
  case unsafeFolder(path: String, mode: UInt32)
  case corrupt(path: String, JSONError)
  /// It is valid JSON, but not what this program writes there.
  case unusable(path: String, reason: String)
  /// A later version of this program wrote it, whose form this one does not know.
  case newerVersion(path: String, version: Int)
  /// A value in it, named by the names that lead to it, is of another type than the setting needs;
  /// what names that setting on the command line, where something does.
  case wrongType(path: String, name: String, setting: String?, found: String, expected: String)
  /// What stands in it under the names cannot stand there.
  case unusableSetting(path: String, name: String, reason: String)
  /// Another process held the lock for too long.
  case lockHeld(path: String)
  case tooLarge(path: String, limit: Int)

  /// Whether the file is not what this program writes there, so that it could be put aside.
  package var isDamage: Bool {
    switch self {
    case .corrupt, .unusable, .wrongType, .tooLarge: true
    default: false
    }
  }
}
