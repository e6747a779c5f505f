// SPDX-License-Identifier: MIT

import Glibc
import OppiModel

/// The D-Bus address of this user's session bus.
package struct SessionBusAddress: Sendable, Equatable {
  /// One address, or several separated by semicolons, of which the first that works is used.
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  /// Finds the address in `DBUS_SESSION_BUS_ADDRESS`, else the user's bus in `XDG_RUNTIME_DIR` if
  /// it exists; `nil` if there is none.
  ///
  /// Only local sockets are used: other transports would start programs or use the network.
  package init?(environment: [String: String]) {
    self.init(environment: environment, isSocket: Self.isSocket)
  }

  init?(environment: [String: String], isSocket: (String) -> Bool) {
    if let given = environment["DBUS_SESSION_BUS_ADDRESS"], !given.isEmpty {
      let local = given.split(separator: ";").filter { $0.hasPrefix("unix:") }
      guard !local.isEmpty else { return nil }
      self.init(local.joined(separator: ";"))
    } else if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/"),
      isSocket(folder + "/bus")
    {
      self.init("unix:path=" + Self.escaped(folder + "/bus"))
    } else {
      return nil
    }
  }

  /// Escapes a value by the D-Bus specification, section Server Addresses.
  private static func escaped(_ value: String) -> String {
    value.utf8.map { byte in
      if byte.isASCIIAlphanumeric || "-_/.\\*".utf8.contains(byte) {
        return String(Unicode.Scalar(byte))
      }
      return "%" + String(byte >> 4, radix: 16) + String(byte & 0xF, radix: 16)
    }.joined()
  }

  private static func isSocket(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }
}
