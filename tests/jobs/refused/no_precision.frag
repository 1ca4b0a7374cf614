#version 310 es
// refused 3: 'float' : type requires declaration of default precision qualifier
out vec4 _GLF_color;
void main() {
  _GLF_color = vec4(1.0);
}
