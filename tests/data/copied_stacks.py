import struct,sys
IP,TID,TIME,PERIOD,CALLCHAIN,REGS,STACK=1,2,4,0x100,0x20,0x1000,0x2000
st=IP|TID|TIME|PERIOD|CALLCHAIN|REGS|STACK
mask=(1<<7)|(1<<8) # sp, ip in perf's numbering of x86
SAMPLE_ID_ALL=1<<18
attr=struct.pack('<IIQQQQQIIQQQQIiQII',1,112,0,1000,st,0,SAMPLE_ID_ALL,0,0,0,0,0,mask,64,0,0,0,0)
assert len(attr)==112,len(attr)
def rec(t,misc,body): return struct.pack('<IHH',t,misc,8+len(body))+body
def text(s): b=s.encode()+b'\0'; return b+b'\0'*(-len(b)%8)
tid=struct.pack('<IIQ',10,10,0)
data=rec(3,0x2000,struct.pack('<II',10,10)+text('app')+struct.pack('<IIQ',10,10,1))
data+=rec(1,2,struct.pack('<IIQQQ',10,10,0x400000,0x1000,0)+text('/nowhere/app')+struct.pack('<IIQ',10,10,2))
for i in range(3):
    data+=rec(9,2,struct.pack('<QIIQQ',0x400100+i,10,10,100+i,1000)+struct.pack('<QQQ',2,2**64-512,0x400100+i)
      +struct.pack('<QQQ',2,0x7ffe0000,0x400100+i)+struct.pack('<Q',64)+struct.pack('<8Q',0,0x400200,0,0,0,0,0,0)+struct.pack('<Q',64))
head=104
attrs=attr+struct.pack('<QQ',0,0)
d=head+len(attrs)
feats=1<<11 # CMDLINE
body=struct.pack('<I',1)+struct.pack('<I',64)+b'perf'.ljust(64,b'\0')
ft=d+len(data)
f=b'PERFILE2'+struct.pack('<QQQQQQQQ',104,len(attrs),head,len(attrs),d,len(data),0,0)+struct.pack('<QQQQ',feats,0,0,0)
assert len(f)==104
open(sys.argv[1],'wb').write(f+attrs+data+struct.pack('<QQ',ft+16,len(body))+body)
