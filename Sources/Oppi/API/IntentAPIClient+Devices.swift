// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

extension IntentAPIClient {
  /// `GET /auth/devices`: the devices that are or were paired; `nil` on servers that know no devices.
  func listDevices(
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> [PairedDevice]? {
    do {
      return try await list("devices", at: "/auth/devices", until: deadline) {
        PairedDevice(json: $0)
      }
    } catch  where error.isMissingRoute {
      return nil
    }
  }

  /// `DELETE /auth/devices/:id`: ends a device's access for good.
  ///
  /// - Returns: False if the server does not know the device, or had revoked it before.
  func revokeDevice(
    _ id: String,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Bool {
    do throws(IntentError) {
      let json = try await call("DELETE", "/auth/devices/\(id)", until: deadline)
      guard json["ok"] == true else { throw malformed("confirmation") }
      return true
    } catch .refused(404, .some("Unknown or already-revoked device"), _) {
      return false
    }
  }
}
