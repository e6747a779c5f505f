// SPDX-License-Identifier: MIT

/// A variable that differs between the environment here and that of a trigger; its values may be secret
/// and are left out.
package enum VariableDifference: Sendable, Equatable {
  /// It is set here only.
  case missingThere(String)
  /// It is set there only.
  case missingHere(String)
  case changed(String)

  /// The variables that change what the program does.
  private static let general = [
    "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "OPPI_SERVER",
    "OPPI_WORKSPACE", "CREDENTIALS_DIRECTORY",
  ]
  private static let proxies = [
    "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy",
  ]
  private static let certificates = ["SSL_CERT_DIR", "SSL_CERT_FILE"]

  /// Returns the differences that matter; an empty variable counts as unset.
  ///
  /// - Parameters:
  ///   - here: The environment here.
  ///   - there: That of the trigger.
  ///   - usesProxy: Whether a server is reached by a proxy, if one is set.
  ///   - usesTrustAnchors: Whether a server's certificate is checked against those of the machine.
  /// - Returns: The differences, always in the same order.
  package static func all(
    here: [String: String],
    there: [String: String],
    usesProxy: Bool,
    usesTrustAnchors: Bool
  ) -> [VariableDifference] {
    let names = general + (usesProxy ? proxies : []) + (usesTrustAnchors ? certificates : [])
    return names.compactMap { name in
      let (here, there) = (here[name] ?? "", there[name] ?? "")
      guard here != there else { return nil }
      if there.isEmpty { return .missingThere(name) }
      return here.isEmpty ? .missingHere(name) : .changed(name)
    }
  }
}
