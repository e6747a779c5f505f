// SPDX-License-Identifier: MIT

import OppiText
import OppiWire

/// An invite has the same meaning in every form and is safe for requests and screens.
func fuzzInvite(_ bytes: [UInt8]) {
  let text = String(decoding: bytes, as: UTF8.self)
  let invite = outcome(text)
  if case .success(let invite) = invite { expectUsable(invite) }
  guard text.utf8.first == UInt8(ascii: "{"), text.utf8.last == UInt8(ascii: "}"),
    text.utf8.count < 4096
  else { return }
  expectSealed(bytes)
  let encoded = Base64.encodeURL(Array(text.utf8))
  let percents = text.utf8.map { ($0 < 16 ? "%0" : "%") + String($0, radix: 16) }.joined()
  let forms = [
    " \n\(text)\t", "oppi://connect?v=3&invite=\(encoded)", "pi://pair/?payload=\(percents)",
  ]
  for form in forms { precondition(outcome(form) == invite, "another invite in \(form)") }
}

/// A signed envelope around any payload is for the key that the payload names, or not an invite.
private func expectSealed(_ payload: [UInt8]) {
  let key = [UInt8](repeating: 0, count: 32)
  let envelope: JSONValue = [
    "v": 3, "signedPayload": .string(Base64.encodeURL(payload)),
    "publicKey": .string(Base64.encodeURL(key)),
    "signature": .string(Base64.encodeURL(key + key)),
  ]
  guard case .success(let invite) = outcome(envelope.text()) else { return }
  expectUsable(invite)
  precondition(invite.seal?.payload == payload, "other bytes than the signed ones")
}

private func outcome(_ text: String) -> Result<Invite, InviteError> {
  do throws(InviteError) { return .success(try Invite(text)) } catch { return .failure(error) }
}

private func expectUsable(_ invite: Invite) {
  expectSafe([invite.name, invite.endpoint.description])
  let isShort = invite.name.count <= 80 || invite.name == invite.endpoint.host
  precondition(!invite.name.isEmpty && isShort, "no name, or a long one")
  precondition(invite.certificatePin == nil || invite.endpoint.scheme == .https, "an unused pin")
  for pin in [invite.certificatePin, invite.fingerprint].compactMap(\.self) {
    precondition(Fingerprint(pin.text) == pin, "a fingerprint with two spellings")
  }
  if let seal = invite.seal {
    precondition(invite.fingerprint == seal.signer, "signed by another server")
    precondition(seal.publicKey.count == 32 && seal.signature.count == 64, "no key")
  }
  switch invite.credential {
  case .pairingToken(let token), .bearerToken(let token):
    precondition(BearerToken.isValid(token), "a token that no header may hold")
  }
}
