// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel

package enum FileError: Error, Equatable {
  case cannotRead(path: String, SystemError)
  case cannotWrite(path: String, SystemError)
  case cannotCreate(path: String, SystemError)
  /// Others could read a secret file or change a trusted one.
  case unsafeMode(path: String, mode: UInt32, needed: String)
  /// The file belongs to another user, who could change it at any time.
  case foreign(path: String)
  /// Others could replace the files in the folder.
  case unsafeFolder(path: String, mode: UInt32)
  case corrupt(path: String, JSONError)
  /// It is valid JSON, but not what this program writes there.
  case unusable(path: String, reason: String)
  /// A later version of this program wrote it in an unknown format.
  case newerVersion(path: String, version: Int)
  /// `name` is the path of members, and `setting` the setting's name on the command line, if any.
  case wrongType(path: String, name: String, setting: String?, found: String, expected: String)
  case unusableSetting(path: String, name: String, reason: String)
  case lockHeld(path: String)
  case tooLarge(path: String, limit: Int)

  /// Whether the content is not what this program writes, so that the file could be set aside.
  package var isDamage: Bool {
    switch self {
    case .corrupt, .unusable, .wrongType, .tooLarge: true
    default: false
    }
  }
}
