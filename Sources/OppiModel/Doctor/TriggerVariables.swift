// SPDX-License-Identifier: MIT

/// The variables that affect the program.
package enum RelevantVariables {
  private static let general = [
    "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "OPPI_SERVER",
    "OPPI_WORKSPACE", "CREDENTIALS_DIRECTORY",
  ]
  private static let proxies = [
    "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy",
  ]
  private static let certificates = ["SSL_CERT_DIR", "SSL_CERT_FILE"]

  /// Returns the variables that differ between this environment and that of a trigger, in a fixed
  /// order; an empty one is unset, and values may be secret.
  ///
  /// Proxy variables count if `usesProxy`: a server may be reached through a proxy. Certificate
  /// variables count if `usesTrustAnchors`: a server's certificate is verified by the system's
  /// authorities.
  package static func differences(
    here: [String: String],
    there: [String: String],
    usesProxy: Bool,
    usesTrustAnchors: Bool
  ) -> [(name: String, here: String, there: String)] {
    let names = general + (usesProxy ? proxies : []) + (usesTrustAnchors ? certificates : [])
    return names.map { ($0, here[$0] ?? "", there[$0] ?? "") }.filter { $0.1 != $0.2 }
  }
}

/// A mechanism that starts the program without a terminal.
package enum Trigger: String, Sendable, CaseIterable {
  case cron
  /// A systemd user unit that a device starts.
  case udev
  /// A desktop keyboard shortcut.
  case hotkey
}

/// The output of `systemctl show-environment`: one `NAME=value` per line; a value that a shell
/// would change is written as `$'...'`, with the escapes of C.
package enum ManagerEnvironment {
  /// Returns the variables by name; lines of any other format are skipped.
  package static func variables(in text: String) -> [String: String] {
    var variables: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else { continue }
      variables[String(parts[0])] = value(parts[1])
    }
    return variables
  }

  private static func value(_ text: Substring) -> String {
    guard text.hasPrefix("$'"), text.hasSuffix("'"), text.count > 2 else { return String(text) }
    var bytes: [UInt8] = []
    var rest = Array(text.dropFirst(2).dropLast().utf8)[...]
    while let byte = rest.popFirst() {
      bytes.append(byte == UInt8(ascii: "\\") ? escaped(&rest) : byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let letters = [UInt8: UInt8](
    uniqueKeysWithValues: zip("abfnrtv".utf8, [7, 8, 12, 10, 13, 9, 11])
  )

  /// The byte after a backslash: a letter, three octal digits, or the character itself.
  private static func escaped(_ rest: inout ArraySlice<UInt8>) -> UInt8 {
    let octal = rest.prefix(3)
    if octal.count == 3, let value = UInt8(String(decoding: octal, as: UTF8.self), radix: 8) {
      rest = rest.dropFirst(3)
      return value
    }
    let byte = rest.popFirst() ?? UInt8(ascii: "\\")
    return letters[byte] ?? byte
  }
}
